/** Matrices as products of simpler ones, and equations with a few diagonals. */
import fc from "fast-check";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { floats, scalar, tensor } from "../arbitraries.js";
import { attr, type Tolerance } from "../op-case.js";
import { type OpSpec, specsOf } from "../op-spec.js";

/** Backward stable: what is lost is small beside the largest element. */
const computed: Tolerance = { ulps: 32, scale: "largest" };

const tall = [1, 2, 3, 4, 5, 7, -1, 0.5, 2, 2, 0, 6];
const regular = [4, 1, 0.5, 1, 5, -1, 0.5, -1, 6];
/** Its second matrix has rows in another order, so that pivots are not on the diagonal. */
const batch = [...regular, 1, 8, -1, 4, 1, 0.5, 0.5, -1, 6];

export const decompositionSpecs: readonly OpSpec[] = [
  {
    op: "Qr",
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      fc.boolean().map((full) => ({
        inputs: [Tensor.of(tall, T, full ? [2, 3, 2] : [2, 2, 3])],
        attrs: { full_matrices: attr.bool(full) },
      })),
    edges: ({ T = "float32" }) => [
      { inputs: [Tensor.of(tall, T, [4, 3])], attrs: { full_matrices: attr.bool(true) } },
      { inputs: [Tensor.of(tall, T, [4, 3])], attrs: { full_matrices: attr.bool(false) } },
      { inputs: [Tensor.of([], T, [2, 3, 0])], attrs: { full_matrices: attr.bool(true) } },
      { inputs: [Tensor.of(0, T, [3, 2])], attrs: { full_matrices: attr.bool(false) } },
      { inputs: [Tensor.of(1, T, [3])], attrs: { full_matrices: attr.bool(false) } },
    ],
    tolerance: computed,
  },
  {
    op: "Svd",
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      fc.boolean().chain((vectors) =>
        tensor(T, [2, 3, 4]).map((input) => ({
          inputs: [input],
          attrs: { compute_uv: attr.bool(vectors), full_matrices: attr.bool(false) },
        })),
      ),
    edges: ({ T = "float32" }) => [
      { inputs: [Tensor.of(tall, T, [4, 3])], attrs: { full_matrices: attr.bool(true) } },
      { inputs: [Tensor.of(Number.NaN, T, [2, 2])] },
      { inputs: [Tensor.of([], T, [2, 0, 3])] },
      { inputs: [Tensor.of(1, T, [3])] },
    ],
    tolerance: computed,
    outputs: [0],
    note: "Signs of singular vectors are free: U · S · Vᵀ is compared",
  },
  {
    op: "SelfAdjointEigV2",
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      fc
        .tuple(fc.boolean(), tensor(T, [2, 4, 4]))
        .map(([vectors, input]) => ({ inputs: [input], attrs: { compute_v: attr.bool(vectors) } })),
    edges: ({ T = "float32" }) => [
      { inputs: [Tensor.of(Number.NaN, T, [2, 2])], attrs: { compute_v: attr.bool(true) } },
      { inputs: [Tensor.of(1, T, [2, 3])], attrs: { compute_v: attr.bool(true) } },
      { inputs: [Tensor.of([], T, [0, 3, 3])], attrs: { compute_v: attr.bool(true) } },
      { inputs: [Tensor.of(2, T, [1, 1])], attrs: { compute_v: attr.bool(true) } },
      { inputs: [Tensor.of(0, T, [3, 3])], attrs: { compute_v: attr.bool(true) } },
    ],
    tolerance: computed,
    outputs: [0],
    note: "Signs of eigenvectors are free: V · E · Vᵀ is compared",
  },
  {
    op: "Lu",
    types: { T: floats, output_idx_type: ["int32", "int64"] },
    draw: ({ T = "float32" }) => fc.constant({ inputs: [Tensor.of(batch, T, [2, 3, 3])] }),
    edges: ({ T = "float32" }) => [
      { inputs: [Tensor.of(1, T, [2, 2])] },
      { inputs: [Tensor.of(1, T, [2, 3])] },
    ],
    tolerance: computed,
  },
  {
    op: "CholeskyGrad",
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      tensor(T, [2, 3, 3]).map((gradient) => ({
        inputs: [Tensor.of([...regular, ...regular], T, [2, 3, 3]), gradient],
      })),
    edges: ({ T = "float32" }) => [{ inputs: [Tensor.of(regular, T, [3, 3]), Tensor.of(1, T, [2, 2])] }],
    tolerance: computed,
  },
  {
    op: "BandedTriangularSolve",
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      fc
        .tuple(
          fc.boolean(),
          fc.boolean(),
          fc.constantFrom([3, 5], [2, 1, 3, 5]),
          fc.constantFrom([5, 2], [3, 5, 2]),
        )
        .chain(([lower, adjoint, bands, right]) =>
          fc.tuple(tensor(T, bands, "positive"), tensor(T, right, "unit")).map((inputs) => ({
            inputs,
            attrs: { lower: attr.bool(lower), adjoint: attr.bool(adjoint) },
          })),
        ),
    edges: ({ T = "float32" }) => [
      { inputs: [Tensor.of(0, T, [2, 3]), Tensor.of(1, T, [3, 1])] },
      { inputs: [Tensor.of(1, T, [2, 3]), Tensor.of(1, T, [4, 1])] },
      { inputs: [Tensor.of(1, T, [2, 2, 3]), Tensor.of(1, T, [3, 3, 1])] },
    ],
    tolerance: computed,
  },
  {
    op: "TridiagonalSolve",
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      fc.tuple(fc.boolean(), tensor(T, [2, 5, 2], "unit")).map(([pivoting, right]) => ({
        inputs: [Tensor.of(tridiagonal, T, [2, 3, 5]), right],
        attrs: { partial_pivoting: attr.bool(pivoting) },
      })),
    edges: ({ T = "float32" }) => [
      { inputs: [Tensor.of(0, T, [3, 4]), Tensor.of(1, T, [4, 1])] },
      { inputs: [Tensor.of(1, T, [2, 4]), Tensor.of(1, T, [4, 1])] },
      { inputs: [Tensor.of(1, T, [3, 4]), Tensor.of(1, T, [3, 1])] },
      { inputs: [Tensor.of(1, T, [2, 3, 4]), Tensor.of(1, T, [4, 1])] },
      { inputs: [Tensor.of([], T, [3, 0]), Tensor.of([], T, [0, 2])] },
    ],
    tolerance: computed,
  },
  {
    op: "TridiagonalMatMul",
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      fc
        .tuple(tensor(T, [2, 1, 4]), tensor(T, [2, 1, 4]), tensor(T, [2, 1, 4]), tensor(T, [2, 4, 3]))
        .map((inputs) => ({ inputs })),
    edges: ({ T = "float32" }) => [
      {
        inputs: [
          [1, 1, 4],
          [1, 4],
          [1, 4],
          [4, 1],
        ].map((sizes) => Tensor.of(1, T, sizes)),
      },
    ],
    tolerance: { ulps: 4, scale: 512 },
  },
  ...specsOf(["MatrixSolveLs"], {
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      fc
        .tuple(fc.boolean(), fc.constantFrom([4, 3], [3, 4]), fc.constantFrom(0, 0.5))
        .chain(([fast, [rows = 0, columns = 0], l2]) =>
          tensor(T, [rows, 2], "unit").map((right) => ({
            inputs: [Tensor.of(tall, T, [rows, columns]), right, scalar("float64", l2)],
            attrs: { fast: attr.bool(fast) },
          })),
        ),
    edges: ({ T = "float32" }) => [
      {
        inputs: [Tensor.of(1, T, [3, 2]), Tensor.of(1, T, [3, 1]), scalar("float64", 0)],
        attrs: { fast: attr.bool(false) },
      },
      {
        inputs: [Tensor.of(1, T, [3, 2]), Tensor.of(1, T, [2, 1]), scalar("float64", 0)],
      },
      {
        inputs: [Tensor.of(1, T, [3, 2]), Tensor.of(1, T, [3, 1]), scalar("float64", -1)],
      },
    ],
    // The normal equations square the condition of the matrix.
    tolerance: { ulps: 64, scale: "largest" },
  }),
];

/** Above, main and below of two matrices: one with a strong diagonal, one that is to be pivoted. */
const tridiagonal = [
  ...[1, -1, 2, 1, 0, 4, 5, -6, 7, 5, 0, 2, 1, -1, 2],
  ...[3, 1, -2, 4, 0, 1, 2, 0.5, 8, 1, 0, 4, 3, 5, -2],
];
