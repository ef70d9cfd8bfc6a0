/** Functions of complex numbers and their gradients. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { complexTensor } from "../arbitraries.js";
import type { Tolerance } from "../op-case.js";
import { type OpSpec, specsOf } from "../op-spec.js";

const types = { T: ["complex64", "complex128"] } as const satisfies Record<string, readonly DType[]>;

/** TensorFlow computes complex64 in single precision; one part of a result may be a small difference of large numbers. */
const rounded: Tolerance = { ulps: 16, scale: "element" };

/** Numbers up to 4 in size, for what grows fast. */
function smallTensor(dtype: DType, shape: readonly number[]): fc.Arbitrary<Tensor> {
  const size = shape.reduce((a, b) => a * b, 1);
  const part = fc.integer({ min: -24, max: 24 }).map((n) => n / 8 + 0.0625);
  return fc
    .array(fc.record({ re: part, im: part }), { minLength: size, maxLength: size })
    .map((elements) => Tensor.of(elements, dtype, shape));
}

const numbers = (T: DType, ...values: (readonly [number, number])[]) =>
  Tensor.of(
    values.map(([re, im]) => ({ re, im })),
    T,
    [values.length],
  );

const nearZero = (T: DType) =>
  numbers(T, [0, 0], [1e-4, -1e-4], [1e-3, 0], [0, 1e-3], [0.5, 0.5], [-0.5, 0.25]);

function unary(ops: readonly string[], tolerance = rounded): OpSpec[] {
  return specsOf(ops, {
    types,
    draw: ({ T = "complex64" }) => smallTensor(T, [3, 2]).map((input) => ({ inputs: [input] })),
    edges: ({ T = "complex64" }) => [{ inputs: [nearZero(T)] }, { inputs: [Tensor.of([], T, [0, 2])] }],
    tolerance,
  });
}

function binary(ops: readonly string[], shapes: readonly (readonly number[])[], tolerance = rounded) {
  return specsOf(ops, {
    types,
    draw: ({ T = "complex64" }) =>
      fc.tuple(...shapes.map((shape) => smallTensor(T, shape))).map((inputs) => ({ inputs })),
    tolerance,
  });
}

/** Whole products and powers of what goes in. */
const grown: Tolerance = { ulps: 32, scale: "element" };

const ends = [Infinity, -Infinity, 1] as const;
/** Every pair of these with an infinity in it. */
const infinite = (T: DType) =>
  numbers(T, ...ends.flatMap((re) => ends.map((im) => [re, im] as const)).slice(0, -1));

export const complexSpecs: readonly OpSpec[] = [
  ...specsOf(["Sqrt", "Rsqrt"], {
    types,
    draw: ({ T = "complex64" }) => complexTensor(T, [3, 2]).map((input) => ({ inputs: [input] })),
    edges: ({ T = "complex64" }) => [{ inputs: [infinite(T)] }],
    tolerance: rounded,
  }),
  // TensorFlow adds the 1 first, which is where it rounds.
  ...unary(["Log1p"], { ulps: 8, scale: 1 }),
  ...unary(["Expm1", "Sin", "Cos", "Sinh", "Cosh"], grown),
  ...unary(["Tan", "Tanh", "Sqrt", "Sign", "Asin", "Acos", "Atan", "Asinh", "Acosh", "Atanh"], rounded),
  ...specsOf(["Atan", "Atanh"], {
    types,
    draw: ({ T = "complex64" }) => smallTensor(T, [2]).map((input) => ({ inputs: [input] })),
    // Beside the points where they are infinite.
    edges: ({ T = "complex64" }) => [
      { inputs: [numbers(T, [0.0625, 1.0625], [0.0625, -1.0625], [1.0625, 0.0625], [-1.0625, 0.0625])] },
    ],
    tolerance: rounded,
  }),
  ...specsOf(["Log", "Reciprocal", "Inv", "Sigmoid"], {
    types,
    draw: ({ T = "complex64" }) => complexTensor(T, [3, 2]).map((input) => ({ inputs: [input] })),
    edges: ({ T = "complex64" }) => [{ inputs: [numbers(T, [1e-4, -1e-4], [0.5, 0], [-2, 1])] }],
    tolerance: grown,
  }),
  ...binary(
    ["DivNoNan", "MulNoNan", "SquaredDifference", "Xdivy", "Xlogy", "Xlog1py"],
    [
      [3, 1],
      [1, 2],
    ],
    grown,
  ),
  ...specsOf(["DivNoNan", "MulNoNan", "Xdivy", "Xlogy", "Xlog1py"], {
    types,
    draw: ({ T = "complex64" }) =>
      complexTensor(T, [2]).map((some) => ({ inputs: [some, numbers(T, [2, 1], [0.5, 0])] })),
    edges: ({ T = "complex64" }) => [
      { inputs: [numbers(T, [0, 0], [0, 0], [2, 1]), numbers(T, [0, 0], [3, -1], [1, 1])] },
    ],
    tolerance: grown,
  }),
  ...specsOf(["DivNoNan", "MulNoNan"], {
    types,
    draw: ({ T = "complex64" }) =>
      complexTensor(T, [2]).map((some) => ({ inputs: [some, numbers(T, [0, 0])] })),
    tolerance: grown,
  }),
  {
    op: "Pow",
    types,
    draw: ({ T = "complex64" }) =>
      fc.tuple(complexTensor(T, [3, 1]), complexTensor(T, [2])).map(([base]) => ({
        inputs: [base, numbers(T, [2, 1], [0.5, -0.25])],
      })),
    edges: ({ T = "complex64" }) => [
      { inputs: [numbers(T, [0, 0], [0, 0], [1, 0]), numbers(T, [0, 0], [2, 1], [3, 0])] },
    ],
    tolerance: { ulps: 64, scale: "element" },
  },
  ...binary(
    ["InvGrad", "ReciprocalGrad", "RsqrtGrad", "SigmoidGrad", "SqrtGrad", "TanhGrad"],
    [
      [3, 2],
      [3, 2],
    ],
    grown,
  ),
  ...specsOf(["InvGrad", "ReciprocalGrad", "RsqrtGrad", "SqrtGrad"], {
    types,
    draw: ({ T = "complex64" }) =>
      smallTensor(T, [2]).map((y) => ({ inputs: [y, numbers(T, [0, 0], [1, 0])] })),
    edges: ({ T = "complex64" }) => [{ inputs: [numbers(T, [0, 0]), numbers(T, [0, 0])] }],
    tolerance: grown,
  }),
];
