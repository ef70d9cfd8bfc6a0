/** Special functions of each element. */
import { custom, each, type GradientCase, op } from "./case.js";

export const SPECIAL_FUNCTIONS: readonly GradientCase[] = [
  ...each("Digamma BesselI0 BesselI0e BesselI1 BesselI1e", { range: [0.5, 2] }),
  ...each("BesselI0e BesselI1e BesselI1", { range: [-2, -0.5] }).map((one) => ({
    ...one,
    name: `${one.name} below 0`,
  })),
  ...each("Ndtri", { range: [0.1, 0.9] }),
  ...(["Igamma", "Igammac"] as const).map((type) =>
    op(
      type,
      [
        [2, 1],
        [1, 3],
      ],
      {},
      [],
      { range: [0.5, 2] },
    ),
  ),
  custom("Polygamma", [[3]], (graph, [x]) => graph.op("Polygamma", [[[1], [2]], x ?? 0]).output, {
    range: [0.5, 2],
  }),
  custom("Zeta", [[3]], (graph, [x]) => graph.op("Zeta", [[[2], [3]], x ?? 0]).output, { range: [0.5, 2] }),
  op("NextAfter", [[2, 3], [3]], {}, [], { notSmooth: true }),
  custom(
    "AccumulateNV2",
    [
      [2, 3],
      [2, 3],
    ],
    (graph, xs) => graph.op("AccumulateNV2", [xs], { shape: [2, 3] }).output,
  ),
  op("CheckNumericsV2", [[2, 3]], { message: "wrong" }),
];
