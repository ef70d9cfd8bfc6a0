/** Ops that take each element of one tensor by itself. */
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { anyTensor, type Domain, everything, floats, ints, numbers, signedInts } from "../arbitraries.js";
import { attr, type Tolerance } from "../op-case.js";
import { type OpSpec, specsOf, type Types } from "../op-spec.js";

/** Room for what vectorised approximations of a function differ by: measured, TensorFlow's own builds differ so. */
const rounded: Tolerance = { ulps: 4 };
/** Functions that TensorFlow approximates more coarsely than the rest. */
const coarse: Tolerance = { ulps: 64, scale: 2 ** -10 };

const specials = [Number.NaN, Infinity, -Infinity, -0, 0, 1, -1, 0.5, -0.5, 1e30, -1e30, 1e-30];

function edges({ T = "float32" }: Types) {
  const isFloat = T === "float32" || T === "float64";
  return [
    { inputs: [Tensor.of([], T, [0])] },
    { inputs: [Tensor.of([], T, [2, 0, 3])] },
    ...(isFloat ? [{ inputs: [Tensor.of(specials, T)] }] : []),
  ];
}

function unary(
  ops: readonly string[],
  dtypes: readonly DType[],
  options: {
    domain?: Domain;
    tolerance?: Tolerance;
    edges?: OpSpec["edges"];
    onlyFed?: OpSpec["onlyFed"];
  } = {},
): OpSpec[] {
  return specsOf(ops, {
    types: { T: dtypes },
    draw: ({ T = "float32" }) => anyTensor(T, options.domain ?? "any").map((input) => ({ inputs: [input] })),
    edges: options.edges ?? edges,
    ...(options.tolerance === undefined ? {} : { tolerance: options.tolerance }),
    ...(options.onlyFed === undefined ? {} : { onlyFed: options.onlyFed }),
  });
}

const signedNumbers = [...floats, ...signedInts] as const;

export const unarySpecs: readonly OpSpec[] = [
  ...unary(
    ["Identity", "StopGradient", "PreventGradient", "ZerosLike", "Rank", "Shape", "Size"],
    everything,
    {
      edges: () => [],
    },
  ),
  ...unary(["Snapshot"], numbers),
  ...unary(["OnesLike"], [...numbers, "bool"], { onlyFed: ["uint32", "uint64"] }),
  ...unary(["Abs", "Neg", "Sign", "Square"], signedNumbers),
  // For -0 TensorFlow gives 0 in whole vectors, and -0 in what is left at the end.
  ...unary(["Relu", "Relu6"], numbers, { tolerance: { ulps: 0, eitherZero: true } }),
  ...unary(["Ceil", "Floor", "Rint", "IsNan", "IsInf", "IsFinite"], floats),
  // For whole numbers TensorFlow 2.21 gives 0.
  ...unary(["Round"], floats),
  ...unary(["Sqrt", "Reciprocal", "Inv", "Softsign"], floats, { tolerance: { ulps: 1 } }),
  ...unary(["Rsqrt", "Exp", "Expm1", "Log", "Log1p", "Sigmoid", "Tanh"], floats, {
    tolerance: rounded,
  }),
  // TensorFlow takes 1 from the exponential, which costs digits near 0.
  ...unary(["Elu", "Selu"], floats, { tolerance: { ulps: 4, scale: 1 } }),
  ...unary(["Softplus", "Erf", "Erfc", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan"], floats, {
    domain: "moderate",
    tolerance: { ulps: 8, scale: 2 ** -6 },
    edges: () => [],
  }),
  ...unary(["Sinh", "Cosh", "Asinh", "Acosh", "Atanh"], floats, {
    domain: "moderate",
    tolerance: coarse,
    edges: () => [],
  }),
  ...unary(["Lgamma"], floats, {
    domain: "unit",
    tolerance: { ulps: 64 },
    // It is 0 at 1 and 2, where digits are lost easily.
    edges: ({ T = "float32" }) => [{ inputs: [Tensor.of([0.984375, 1, 1.015625, 1.984375, 2, 2.5, 40], T)] }],
  }),
  ...unary(["Digamma", "Erfinv", "Ndtri"], floats, {
    domain: "unit",
    tolerance: coarse,
    edges: () => [],
  }),
  ...unary(["Invert"], ints),
  ...specsOf(["LogicalNot"], {
    types: {},
    draw: () => anyTensor("bool").map((input) => ({ inputs: [input] })),
  }),
  {
    op: "LeakyRelu",
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      anyTensor(T, "any").map((input) => ({ inputs: [input], attrs: { alpha: attr.float(0.25) } })),
    edges,
  },
  {
    op: "CheckNumerics",
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      anyTensor(T, "any").map((input) => ({ inputs: [input], attrs: { message: attr.text("checked") } })),
  },
];
