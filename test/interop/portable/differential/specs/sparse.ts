/** Sparse tensors and sets. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { floats, integers, scalar, tensor } from "../arbitraries.js";
import { attr } from "../op-case.js";
import { type Drawn, type OpSpec, specsOf } from "../op-spec.js";

const ROWS = 3;
const COLUMNS = 4;
const shape = integers("int64", [ROWS, COLUMNS]);
const summed = { ulps: 8, scale: 16 } as const;
const numberTypes = [...floats, "int32"] as const;
const setTypes = ["int32", "int64", "string"] as const;

/** A sparse matrix of 3 x 4, its elements in order. */
function matrix(dtype: DType): fc.Arbitrary<readonly [Tensor, Tensor, Tensor]> {
  return fc.subarray(Array.from({ length: ROWS * COLUMNS }, (_, i) => i)).chain((flat) => {
    const indices = flat.flatMap((at) => [Math.floor(at / COLUMNS), at % COLUMNS]);
    return tensor(dtype, [flat.length]).map(
      (values) => [integers("int64", indices, [flat.length, 2]), values, shape] as const,
    );
  });
}

/** A spec's cases: a sparse matrix and more inputs. */
function drawWith(
  dtype: DType,
  more: fc.Arbitrary<readonly Tensor[]>,
  attrs: fc.Arbitrary<NonNullable<Drawn["attrs"]>> = fc.constant({}),
): fc.Arbitrary<Drawn> {
  return fc
    .tuple(matrix(dtype), more, attrs)
    .map(([sparse, rest, given]) => ({ inputs: [...sparse, ...rest], attrs: given }));
}

const setOperations = fc
  .constantFrom("a-b", "b-a", "intersection", "union")
  .map((name) => ({ set_operation: attr.text(name) }));

export const sparseSpecs: readonly OpSpec[] = [
  {
    op: "SparseTensorDenseMatMul",
    types: { T: numberTypes },
    draw: ({ T = "float32" }) =>
      fc.tuple(fc.boolean(), fc.boolean()).chain(([adjointA, adjointB]) => {
        const inner = adjointA ? ROWS : COLUMNS;
        return drawWith(
          T,
          tensor(T, adjointB ? [2, inner] : [inner, 2]).map((b) => [b]),
        ).map(({ inputs }) => ({
          inputs,
          attrs: { adjoint_a: attr.bool(adjointA), adjoint_b: attr.bool(adjointB) },
        }));
      }),
    tolerance: summed,
  },
  {
    op: "SparseAdd",
    types: { T: numberTypes },
    draw: ({ T = "float32" }) =>
      drawWith(
        T,
        matrix(T).map((other) => [...other, scalar(T, 2)]),
        fc.constant({ Treal: attr.type(T) }),
      ),
  },
  {
    op: "SparseTensorDenseAdd",
    types: { T: [...numberTypes, "int64", "uint8"], Tindices: ["int32", "int64"] },
    draw: ({ T = "float32", Tindices = "int64" }) =>
      fc.tuple(matrix(T), tensor(T, [ROWS, COLUMNS])).map(([[indices, values], dense]) => ({
        inputs: [
          integers(Tindices, Array.from(indices.data as Iterable<bigint>, Number), indices.shape),
          values,
          integers(Tindices, [ROWS, COLUMNS]),
          dense,
        ],
      })),
    edges: ({ T = "float32", Tindices = "int64" }) =>
      [
        { indices: [0, 4], sizes: [ROWS, COLUMNS], dense: [ROWS, COLUMNS] },
        { indices: [0, 1], sizes: [ROWS, 2], dense: [ROWS, COLUMNS] },
        { indices: [0, 1], sizes: [ROWS, COLUMNS], dense: [COLUMNS] },
        { indices: [0, 1, 0], sizes: [ROWS, COLUMNS], dense: [ROWS, COLUMNS] },
      ].map(({ indices, sizes, dense }) => ({
        inputs: [
          integers(Tindices, indices, [1, indices.length]),
          Tensor.of(1, T, [1]),
          integers(Tindices, sizes),
          Tensor.of(1, T, dense),
        ],
      })),
  },
  {
    op: "SparseAddGrad",
    types: { T: numberTypes },
    draw: ({ T = "float32" }) =>
      tensor(T, [4]).map((gradients) => ({
        inputs: [
          gradients,
          integers("int64", [0, 1, 1, 0, 2, 3], [3, 2]),
          integers("int64", [0, 1, 1, 2], [2, 2]),
          integers("int64", [0, 1, 1, 0, 1, 2, 2, 3], [4, 2]),
        ],
      })),
    edges: ({ T = "float32" }) =>
      [2, 1].map((count) => ({
        inputs: [
          Tensor.of(1, T, [count]),
          integers("int64", [0, 1], [1, 2]),
          integers("int64", [1, 1], [1, 2]),
          integers("int64", [0, 1], [1, 2]),
        ],
      })),
  },
  ...specsOf(["SparseReduceSum", "SparseReduceMax"], {
    types: { T: numberTypes },
    draw: ({ T = "float32" }) =>
      drawWith(
        T,
        fc.constantFrom([0], [1], [-1], [0, 1]).map((axes) => [integers("int32", axes)]),
        fc.boolean().map((keep) => ({ keep_dims: attr.bool(keep) })),
      ),
    tolerance: summed,
  }),
  ...specsOf(["SparseSparseMaximum", "SparseSparseMinimum"], {
    types: { T: numberTypes },
    draw: ({ T = "float32" }) => drawWith(T, matrix(T)),
    edges: ({ T = "float32" }) => {
      const made = (column: number) => [
        integers("int64", [1, column], [1, 2]),
        integers(T, [1]),
        integers("int64", [ROWS, COLUMNS]),
      ];
      return [{ inputs: [...made(0), ...made(COLUMNS)] }, { inputs: [...made(-1), ...made(0)] }];
    },
  }),
  ...specsOf(["SparseDenseCwiseMul", "SparseDenseCwiseAdd"], {
    types: { T: numberTypes },
    draw: ({ T = "float32" }) =>
      drawWith(
        T,
        fc
          .constantFrom([ROWS, COLUMNS], [COLUMNS], [ROWS, 1], [])
          .chain((sizes) => tensor(T, sizes).map((dense) => [dense])),
      ),
  }),
  {
    op: "SparseDenseCwiseDiv",
    types: { T: floats },
    draw: ({ T = "float32" }) =>
      drawWith(
        T,
        tensor(T, [COLUMNS], "nonzero").map((dense) => [dense]),
      ),
  },
  {
    op: "SparseSoftmax",
    types: { T: floats },
    draw: ({ T = "float32" }) => drawWith(T, fc.constant([])),
    tolerance: summed,
  },
  {
    op: "SparseReorder",
    types: { T: ["float32", "string"] },
    draw: ({ T = "float32" }) =>
      tensor(T, [3]).map((values) => ({
        inputs: [integers("int64", [2, 1, 0, 3, 0, 0], [3, 2]), values, shape],
      })),
  },
  {
    op: "SparseReshape",
    types: {},
    draw: () =>
      fc
        .tuple(matrix("int32"), fc.constantFrom([4, 3], [2, -1], [12], [5, -1], [2, 3, 2]))
        .map(([[indices], sizes]) => ({ inputs: [indices, shape, integers("int64", sizes)] })),
  },
  {
    op: "SparseSlice",
    types: { T: ["float32", "string"] },
    draw: ({ T = "float32" }) =>
      drawWith(T, fc.constant([integers("int64", [1, 1]), integers("int64", [9, 2])])),
  },
  {
    op: "SparseFillEmptyRows",
    types: { T: ["float32", "int64", "string"] },
    draw: ({ T = "float32" }) =>
      drawWith(
        T,
        tensor(T, []).map((fallback) => [fallback]),
      ),
  },
  {
    op: "SparseConcat",
    types: { T: ["float32", "string"] },
    draw: ({ T = "float32" }) =>
      fc.tuple(matrix(T), matrix(T), fc.constantFrom(0, 1, -1)).map(([a, b, axis]) => ({
        inputs: [a[0], b[0], a[1], b[1], a[2], b[2]],
        attrs: { concat_dim: attr.int(axis), N: attr.int(2) },
      })),
  },
  {
    op: "SparseSplit",
    types: { T: ["float32", "string"] },
    draw: ({ T = "float32" }) =>
      fc.tuple(matrix(T), fc.constantFrom(0, 1), fc.constantFrom(1, 2, 3)).map(([sparse, axis, count]) => ({
        inputs: [scalar("int64", axis), ...sparse],
        attrs: { num_split: attr.int(count) },
      })),
  },
  {
    op: "DenseToDenseSetOperation",
    types: { T: setTypes },
    draw: ({ T = "int32" }) =>
      fc
        .tuple(tensor(T, [2, 5]), tensor(T, [2, 4]), setOperations)
        .map(([a, b, attrs]) => ({ inputs: [a, b], attrs })),
  },
  {
    op: "DenseToSparseSetOperation",
    types: { T: setTypes },
    draw: ({ T = "int32" }) =>
      fc
        .tuple(tensor(T, [ROWS, 5]), matrix(T), setOperations)
        .map(([a, b, attrs]) => ({ inputs: [a, ...b], attrs })),
  },
  {
    op: "SparseToSparseSetOperation",
    types: { T: setTypes },
    draw: ({ T = "int32" }) => drawWith(T, matrix(T), setOperations),
  },
  {
    op: "SetSize",
    types: { T: setTypes },
    draw: ({ T = "int32" }) => drawWith(T, fc.constant([])),
    // Places that are out of order or there twice.
    edges: ({ T = "int32" }) =>
      [
        [0, 3, 0, 2],
        [0, 3, 0, 3],
      ].map((indices) => ({
        inputs: [
          integers("int64", indices, [2, 2]),
          T === "string" ? Tensor.of(["a", "b"], T) : integers(T, [1, 2]),
          shape,
        ],
      })),
  },
];
