/** Equations and factors of complex matrices. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { complexTensor } from "../arbitraries.js";
import { attr, type Tolerance } from "../op-case.js";
import { type OpSpec, specsOf } from "../op-spec.js";

const complexTypes = ["complex64", "complex128"] as const satisfies readonly DType[];
const solved: Tolerance = { ulps: 16, scale: "largest" };

/** Hermitian and positive definite: a strong diagonal. */
const regular = [
  { re: 9, im: 0 },
  { re: 1, im: -2 },
  { re: 0.5, im: 1 },
  { re: 1, im: 2 },
  { re: 8, im: 0 },
  { re: -1, im: 0.25 },
  { re: 0.5, im: -1 },
  { re: -1, im: -0.25 },
  { re: 7, im: 0 },
];

/** Two matrices: that one, and one that is not Hermitian. */
const batch = (T: DType) =>
  Tensor.of([...regular, ...regular.map(({ re, im }, i) => ({ re: im + re, im: re - i / 4 }))], T, [2, 3, 3]);

const singular = (T: DType) =>
  Tensor.of(
    [1, 2, 2, 4].map((re) => ({ re, im: re })),
    T,
    [2, 2],
  );

const zeros = (T: DType, shape: readonly number[]) =>
  Tensor.of(Array(shape.reduce((a, b) => a * b, 1)).fill({ re: 0, im: 0 }), T, shape);

const adjoints = fc.boolean().map((adjoint) => ({ adjoint: attr.bool(adjoint) }));

export const complexMatrixSpecs: readonly OpSpec[] = [
  ...specsOf(["MatrixDeterminant", "LogMatrixDeterminant"], {
    types: { T: complexTypes },
    draw: ({ T = "complex64" }) => complexTensor(T, [2, 3, 3]).map((input) => ({ inputs: [input] })),
    edges: ({ T = "complex64" }) => [
      { inputs: [batch(T)] },
      { inputs: [zeros(T, [2, 3])] },
      { inputs: [zeros(T, [3, 0, 0])] },
    ],
    tolerance: { ulps: 32, scale: "largest" },
  }),
  {
    op: "MatrixInverse",
    types: { T: complexTypes },
    draw: ({ T = "complex64" }) => adjoints.map((attrs) => ({ inputs: [batch(T)], attrs })),
    edges: ({ T = "complex64" }) => [
      { inputs: [singular(T)] },
      { inputs: [zeros(T, [2, 3])] },
      { inputs: [zeros(T, [0, 2, 2])] },
    ],
    tolerance: solved,
  },
  {
    op: "MatrixSolve",
    types: { T: complexTypes },
    draw: ({ T = "complex64" }) =>
      fc
        .tuple(complexTensor(T, [2, 3, 2]), adjoints)
        .map(([right, attrs]) => ({ inputs: [batch(T), right], attrs })),
    edges: ({ T = "complex64" }) => [
      { inputs: [singular(T), zeros(T, [2, 1])] },
      { inputs: [zeros(T, [2, 2]), zeros(T, [3, 1])] },
    ],
    tolerance: solved,
  },
  {
    op: "MatrixTriangularSolve",
    types: { T: complexTypes },
    draw: ({ T = "complex64" }) =>
      fc.tuple(complexTensor(T, [3, 2]), adjoints, fc.boolean()).map(([right, attrs, lower]) => ({
        inputs: [batch(T), right],
        attrs: { ...attrs, lower: attr.bool(lower) },
      })),
    tolerance: solved,
  },
  {
    op: "Cholesky",
    types: { T: complexTypes },
    draw: ({ T = "complex64" }) => fc.constant({ inputs: [Tensor.of(regular, T, [1, 3, 3])] }),
    // TensorFlow's result for a matrix that is not positive definite is unspecified.
    edges: ({ T = "complex64" }) => [{ inputs: [zeros(T, [2, 3])] }],
    tolerance: solved,
  },
  {
    op: "Lu",
    types: { T: complexTypes, output_idx_type: ["int32", "int64"] },
    draw: ({ T = "complex64" }) => fc.constant({ inputs: [batch(T)] }),
    edges: ({ T = "complex64" }) => [{ inputs: [singular(T)] }, { inputs: [zeros(T, [2, 3])] }],
    tolerance: solved,
  },
  {
    op: "Qr",
    types: { T: complexTypes },
    draw: ({ T = "complex64" }) =>
      fc.tuple(fc.constantFrom([2, 3, 2], [1, 2, 3], [3, 3]), fc.boolean()).chain(([shape, full]) =>
        complexTensor(T, shape).map((input) => ({
          inputs: [input],
          attrs: { full_matrices: attr.bool(full) },
        })),
      ),
    edges: ({ T = "complex64" }) => [
      { inputs: [batch(T)] },
      { inputs: [zeros(T, [3, 2])] },
      { inputs: [zeros(T, [3])] },
    ],
    tolerance: { ulps: 16, scale: "largest" },
  },
];
