/** Complex numbers and Fourier transforms, of real numbers and into real ones. */
import type { Graph, OpInput, Output } from "../../../worker-runtime/graph/graph.js";
import { custom, type GradientCase, type Rest } from "./case.js";

const DOUBLE = { T: "float64", Tout: "complex128" } as const;
const PARTS = { T: "complex128", Tout: "float64" } as const;

function complexOf(graph: Graph, real: OpInput, imaginary: OpInput): Output {
  return graph.op("Complex", [real, imaginary], DOUBLE).output;
}

/** A function of complex numbers, whose parts are fed. */
function ofComplex(
  name: string,
  shape: readonly number[],
  make: (graph: Graph, z: Output) => Output | readonly Output[],
  rest: Rest = {},
): GradientCase {
  return custom(
    `${name} of complex numbers`,
    [shape, shape],
    (graph, [real, imaginary]) => {
      const made = make(graph, complexOf(graph, real ?? 0, imaginary ?? 0));
      const all = Array.isArray(made) ? (made as readonly Output[]) : [made as Output];
      return all.flatMap((z) => [graph.op("Real", [z], PARTS).output, graph.op("Imag", [z], PARTS).output]);
    },
    rest,
  );
}

const one =
  (type: string, more: readonly OpInput[] = [], attrs: Parameters<Graph["op"]>[2] = {}) =>
  (graph: Graph, z: Output) =>
    graph.op(type, [z, ...more], attrs).outputs;

export const COMPLEX: readonly GradientCase[] = [
  custom(
    "Complex of a row and a column",
    [
      [1, 3],
      [2, 1],
    ],
    (graph, [x, y]) => graph.op("ComplexAbs", [complexOf(graph, x ?? 0, y ?? 0)], PARTS).output,
  ),
  custom(
    "ComplexAbs and Angle",
    [
      [2, 3],
      [2, 3],
    ],
    (graph, [x, y]) => {
      const z = complexOf(graph, x ?? 0, y ?? 0);
      return [graph.op("ComplexAbs", [z], PARTS).output, graph.op("Angle", [z], PARTS).output];
    },
    { range: [0.5, 2] },
  ),
  ...(["FFT", "IFFT"] as const).flatMap((type) => [
    ofComplex(type, [2, 5], one(type)),
    ofComplex(`${type}2D`, [2, 3, 4], one(`${type}2D`)),
    ofComplex(`${type}3D`, [2, 3, 2, 4], one(`${type}3D`)),
  ]),
  ...[6, 7].flatMap((length) => [
    custom(`RFFT ${length}`, [[2, length]], (graph, [x]) => {
      const z = graph.op("RFFT", [x ?? 0, [length]], { Treal: "float64", Tcomplex: "complex128" });
      return graph.op("ComplexAbs", [z], PARTS).output;
    }),
    ...(["IRFFT", "IRFFT2D"] as const).map((type) =>
      custom(
        `${type} ${length}`,
        [
          [2, 3, 4],
          [2, 3, 4],
        ],
        (graph, [x, y]) => {
          const z = complexOf(graph, x ?? 0, y ?? 0);
          const sizes = type === "IRFFT" ? [length] : [3, length];
          return graph.op(type, [z, sizes], { Treal: "float64", Tcomplex: "complex128" }).output;
        },
      ),
    ),
  ]),
  ofComplex(
    "Conj, Neg and Identity",
    [3],
    (graph, z) => graph.op("Conj", [graph.op("Neg", [graph.op("Identity", [z])])]).output,
  ),
  ofComplex(
    "Mul, AddV2, Sub, AddN and RealDiv",
    [3],
    (graph, z) => {
      const square = graph.op("Mul", [z, z]);
      const sum = graph.op("AddN", [[graph.op("AddV2", [square, z]), z]]);
      const row = graph.op("Reshape", [graph.op("Sub", [sum, square]), [3, 1]]);
      return graph.op("RealDiv", [row, graph.op("AddV2", [z, graph.op("Conj", [z])])]).output;
    },
    { range: [0.5, 2] },
  ),
  ofComplex(
    "Transpose, ReverseV2 and Tile",
    [2, 3],
    (graph, z) =>
      graph.op("Tile", [graph.op("ReverseV2", [graph.op("Transpose", [z, [1, 0]]), [0]]), [1, 2]]).output,
  ),
  ofComplex("Slice, StridedSlice, Pad and GatherV2", [3, 4], (graph, z) => {
    const slice = graph.op("Slice", [z, [1, 0], [2, 3]]);
    const strided = graph.op("StridedSlice", [slice, [0, 0], [2, 3], [1, 2]]);
    const padded = graph.op("Pad", [
      strided,
      [
        [0, 1],
        [1, 0],
      ],
    ]);
    return graph.op("GatherV2", [padded, [0, 1, 0], 0]).output;
  }),
  ofComplex("Split, Unpack, Pack, ConcatV2", [4, 3], (graph, z) => {
    const [first, second] = graph.op("Split", [0, z], { num_split: 2 }).outputs;
    const rows = graph.op("Unpack", [first as Output], { num: 2, axis: 0 }).outputs;
    const packed = graph.op("Pack", [[...rows].reverse()], { axis: 0 }).output;
    return graph.op("ConcatV2", [[packed, second as Output], 1]).output;
  }),
  ofComplex("ExpandDims, Squeeze, BroadcastTo and Sum", [3], (graph, z) => {
    const wide = graph.op("BroadcastTo", [graph.op("ExpandDims", [z, 0]), [2, 3]]);
    return graph.op("Squeeze", [graph.op("Sum", [wide, [0]], { keep_dims: true })]).output;
  }),
  custom("Cast to and from complex numbers", [[3]], (graph, [x]) => {
    const z = graph.op("Cast", [x ?? 0], { DstT: "complex128" });
    return graph.op("Cast", [graph.op("Mul", [z, z])], { DstT: "float64" }).output;
  }),
];
