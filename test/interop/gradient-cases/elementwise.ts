/** Ops of single elements, also with operands that are broadcast. */
import { custom, each, type GradientCase, op } from "./case.js";

export const UNARY: readonly GradientCase[] = [
  ...each("Neg Square Exp Expm1 Sin Cos Sinh Cosh Tanh Atan Asinh Sigmoid Erf Erfc Softplus Softsign"),
  ...each("Abs Relu Relu6 LeakyRelu Elu Selu", { range: [0.2, 3] }),
  ...each("Abs Relu Relu6 LeakyRelu Elu Selu", { range: [-3, -0.2] }).map((one) => ({
    ...one,
    name: `${one.name} below zero`,
  })),
  ...each("Sqrt Rsqrt Reciprocal Inv Log Log1p Lgamma", { range: [0.5, 3] }),
  ...each("Tan Asin Acos Atanh Erfinv", { range: [-0.8, 0.8] }),
  ...each("Acosh", { range: [1.2, 3] }),
  op("Cast", [[2, 3]], { DstT: "float32" }, [], { notSmooth: true }),
];

const BROADCASTS: readonly (readonly [readonly number[], readonly number[]])[] = [
  [
    [2, 3],
    [2, 3],
  ],
  [[2, 3], [3]],
  [
    [2, 1],
    [1, 3],
  ],
  [[], [2, 2]],
];

export const BINARY: readonly GradientCase[] = [
  ...["Add", "AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference", "MulNoNan"].flatMap((type) =>
    BROADCASTS.map((shapes) => op(type, shapes)),
  ),
  ...["Div", "RealDiv", "DivNoNan", "Pow", "Atan2", "Xlogy", "Xdivy", "Xlog1py", "FloorMod"].flatMap((type) =>
    BROADCASTS.map((shapes) => op(type, shapes, {}, [], { range: [0.4, 2], notSmooth: type === "FloorMod" })),
  ),
  custom("a batch of unknown size", [[4, 3], [3]], (graph, [x, b]) => {
    const any = graph.op("PlaceholderWithDefault", [x ?? 0], { shape: [-1, 3] }).output;
    return graph.op("Mul", [graph.op("AddV2", [any, b ?? 0]), any]).output;
  }),
  custom(
    "shapes known only in a run",
    [
      [4, 1],
      [1, 3],
    ],
    (graph, [x, b]) => {
      const any = graph.op("PlaceholderWithDefault", [x ?? 0], { shape: "unknown rank" }).output;
      return graph.op("Mul", [any, b ?? 0]).output;
    },
  ),
  custom(
    "AddN",
    [
      [2, 3],
      [2, 3],
    ],
    (graph, [x, y]) => graph.op("AddN", [[x ?? 0, y ?? 0, x ?? 0]]).output,
  ),
  custom(
    "Select",
    [
      [2, 3],
      [2, 3],
    ],
    (graph, [x, y]) => graph.op("Select", [graph.op("Greater", [x ?? 0, y ?? 0]), x ?? 0, y ?? 0]).output,
  ),
  custom(
    "SelectV2",
    [[2, 3], [3], [2, 1]],
    (graph, [x, y, z]) => graph.op("SelectV2", [graph.op("Greater", [z ?? 0, 0]), x ?? 0, y ?? 0]).output,
  ),
  op("ClipByValue", [[3, 4]], {}, [-1, 1]),
  custom(
    "ClipByValue with bounds",
    [[3, 4], [], []],
    (graph, [x, low, high]) =>
      graph.op("ClipByValue", [x ?? 0, graph.op("Sub", [low ?? 0, 2]), graph.op("AddV2", [high ?? 0, 2])])
        .output,
  ),
];
