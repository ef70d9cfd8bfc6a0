/** Ops that combine two tensors element by element, with broadcasting. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { broadcastShapes, type Domain, everything, floats, ints, numbers, tensor } from "../arbitraries.js";
import { attr, type Tolerance } from "../op-case.js";
import { type Drawn, type OpSpec, specsOf, type Types } from "../op-spec.js";

const complex = ["complex64", "complex128"] as const satisfies readonly DType[];

interface Options {
  readonly left?: Domain;
  readonly right?: Domain;
  readonly tolerance?: Tolerance;
  readonly attrs?: Drawn["attrs"];
  readonly edges?: OpSpec["edges"];
  readonly note?: string;
}

function pair(T: DType, left: Domain, right: Domain): fc.Arbitrary<Tensor[]> {
  return broadcastShapes(2).chain(([a = [], b = []]) => fc.tuple(tensor(T, a, left), tensor(T, b, right)));
}

const specials = [Number.NaN, Infinity, -Infinity, -0, 0, 1, -1, 2.5, -2.5, 3e38];

/** Every special number with every other, shapes that do not fit, and nothing at all. */
function edges({ T = "float32" }: Types): Drawn[] {
  const isFloat = T === "float32" || T === "float64";
  return [
    { inputs: [Tensor.of([], T, [0]), Tensor.of([], T, [3, 0])] },
    // One dtype stands for all: each error costs a few steps.
    ...(T === "float32" ? [{ inputs: [zeros(T, [2]), zeros(T, [3])] }] : []),
    ...(isFloat ? [{ inputs: [Tensor.of(specials, T, [specials.length, 1]), Tensor.of(specials, T)] }] : []),
  ];
}

function zeros(dtype: DType, shape: readonly number[]): Tensor {
  const zero = dtype === "bool" ? false : dtype === "string" ? "" : dtype === "int64" ? 0n : 0;
  return Tensor.of(zero, dtype, shape);
}

function binary(ops: readonly string[], dtypes: readonly DType[], options: Options = {}): OpSpec[] {
  return specsOf(ops, {
    types: { T: dtypes },
    draw: ({ T = "float32" }) =>
      pair(T, options.left ?? "any", options.right ?? options.left ?? "any").map((inputs) => ({
        inputs,
        ...(options.attrs === undefined ? {} : { attrs: options.attrs }),
      })),
    edges: options.edges ?? edges,
    ...(options.tolerance === undefined ? {} : { tolerance: options.tolerance }),
    ...(options.note === undefined ? {} : { note: options.note }),
  });
}

function logical(ops: readonly string[]): OpSpec[] {
  return specsOf(ops, { types: {}, draw: () => pair("bool", "any", "any").map((inputs) => ({ inputs })) });
}

/** A gradient op takes two tensors of one shape. */
function sameShape(ops: readonly string[], options: Options = {}): OpSpec[] {
  return specsOf(ops, {
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      broadcastShapes(1).chain(([shape = []]) =>
        fc
          .tuple(tensor(T, shape, options.left ?? "moderate"), tensor(T, shape, options.right ?? "moderate"))
          .map((inputs) => ({ inputs, ...(options.attrs === undefined ? {} : { attrs: options.attrs }) })),
      ),
    tolerance: options.tolerance ?? { ulps: 4 },
    ...(options.edges === undefined ? {} : { edges: options.edges }),
  });
}

export const binarySpecs: readonly OpSpec[] = [
  ...binary(["AddV2"], numbers),
  ...binary(["Add"], [...numbers, "string"]),
  ...binary(["Sub", "Mul"], numbers),
  // Which of 0 and -0 is the greater depends on the processor's instruction.
  ...binary(["Maximum", "Minimum"], numbers, {
    tolerance: { ulps: 0, eitherZero: true },
    note: "but for the sign of zero",
  }),
  ...binary(["SquaredDifference"], [...floats, "int32", "int64"]),
  ...binary(["RealDiv", "DivNoNan", "MulNoNan"], floats),
  ...binary(["RealDiv", "Div"], complex, {
    right: "nonzero",
    edges: () => [],
    tolerance: { ulps: 2, scale: "element" },
  }),
  // A whole number divided by zero is an error in TensorFlow; it has cases of its own, for the sake of whole batches.
  ...binary(["Div", "FloorDiv", "TruncateDiv"], numbers, { right: "nonzero", edges: zeroDivisor }),
  ...binary(["FloorMod", "Mod"], ["float32", "float64", "int32", "int64"], {
    right: "nonzero",
    edges: zeroDivisor,
  }),
  ...binary(["TruncateMod"], ["float32", "float64", "int32", "int64"], {
    right: "nonzero",
    edges: zeroDivisor,
  }),
  ...binary(["Pow"], floats, { left: "positive", right: "moderate", tolerance: { ulps: 8 } }),
  ...binary(["Pow"], ["int32", "int64"], { left: "moderate", right: "positive", edges: () => [] }),
  ...binary(["Atan2"], floats, { tolerance: { ulps: 4 } }),
  ...binary(["Xdivy", "Xlogy", "Xlog1py"], floats, { left: "positive", tolerance: { ulps: 8, scale: 1 } }),
  ...binary(["NextAfter"], floats, { left: "nonzero", edges: () => [] }),
  ...binary(["Less", "LessEqual", "Greater", "GreaterEqual"], numbers),
  ...binary(["Equal", "NotEqual"], everything, { edges: withUnequalShapes }),
  ...sameShape(["ApproximateEqual"], {
    attrs: { tolerance: attr.float(0.5) },
    edges: ({ T = "float32" }) => [
      {
        inputs: [Tensor.of([1, 1, Infinity], T), Tensor.of([0.5, 0.25, Infinity], T)],
        attrs: { tolerance: attr.float(0.5) },
      },
    ],
  }),
  ...binary(["BitwiseAnd", "BitwiseOr", "BitwiseXor"], ints),
  ...binary(["LeftShift", "RightShift"], ints, { right: "positive", edges: () => [] }),
  ...logical(["LogicalAnd", "LogicalOr"]),
  ...sameShape(["ReluGrad", "Relu6Grad", "EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad"]),
  ...sameShape(["LeakyReluGrad"], { attrs: { alpha: attr.float(0.25) } }),
  ...sameShape(["SigmoidGrad", "TanhGrad"], { left: "unit" }),
  ...sameShape(["SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad"], {
    left: "positive",
    tolerance: { ulps: 8 },
    // A gradient of 0 where the derivative is infinite.
    edges: ({ T = "float32" }) => [
      { inputs: [Tensor.of([0, Infinity, 0, 2], T), Tensor.of([0, 0, 1, 0], T)] },
    ],
  }),
];

function zeroDivisor(types: Types): Drawn[] {
  const { T = "float32" } = types;
  const one = T === "int64" ? 7n : 7;
  const smallest = { float32: 2 ** -126, float64: 2 ** -1022 }[T as "float32"];
  const lowest = { int8: -128, int16: -32768, int32: -2147483648 }[T as "int8"];
  return [
    ...edges(types).slice(0, 1),
    { inputs: [Tensor.of(one, T), zeros(T, [2])] },
    // A quotient below full precision.
    ...(smallest === undefined ? [] : [{ inputs: [Tensor.of([smallest], T), Tensor.of([-8], T)] }]),
    ...(lowest === undefined ? [] : [{ inputs: [Tensor.of([lowest], T), Tensor.of([3], T)] }]),
  ];
}

/** incompatible_shape_error = false makes false of what cannot be compared. */
function withUnequalShapes(types: Types): Drawn[] {
  const { T = "float32" } = types;
  const inputs = [zeros(T, [2]), zeros(T, [3])];
  return [...edges(types), { inputs, attrs: { incompatible_shape_error: attr.bool(false) } }];
}
