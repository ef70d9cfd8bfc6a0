/** Special functions of each element. */
import { constant } from "../../../worker-runtime/graph/ops/index.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";
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
  custom(
    "Betainc",
    [[3]],
    (graph, [x]) => graph.op("Betainc", [[1, 2.5, 0.5], [2, 0.75, 1.5], x ?? 0]).output,
    {
      range: [0.1, 0.9],
    },
  ),
  custom(
    "Betainc of one argument",
    [[]],
    (graph, [x]) => graph.op("Betainc", [[1, 2.5], [2, 0.75], x ?? 0]).output,
    {
      range: [0.1, 0.9],
    },
  ),
  // Samples are not smooth in numbers: a small change may have another one accepted.
  custom(
    "StatelessRandomGammaV2",
    [[3]],
    (graph, [alpha]) => graph.op("StatelessRandomGammaV2", [[4, 3], [5, 7], alpha ?? 0]).output,
    { range: [0.5, 3], notSmooth: true },
  ),
  custom(
    "StatelessRandomGammaV3",
    [[3]],
    (graph, [alpha]) => {
      const uint64 = (values: readonly bigint[]) => constant(graph, Tensor.of(values, "uint64"));
      return graph.op("StatelessRandomGammaV3", [[2, 3], uint64([5n]), uint64([7n, 1n]), 1, alpha ?? 0])
        .output;
    },
    { range: [0.5, 3], notSmooth: true },
  ),
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
