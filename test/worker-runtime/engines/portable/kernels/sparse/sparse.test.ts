import { describe, expect, test } from "vitest";
import type { DType } from "../../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { compareWithTensorflow, type OpCase } from "../against-tensorflow.js";
import { counting } from "../case-values.js";

const longs = (...values: number[]) => Tensor.of(values.map(BigInt), "int64", [values.length]);
const indices = (rank: number, ...values: number[]) =>
  Tensor.of(values.map(BigInt), "int64", [values.length / rank, rank]);
const numbers = (dtype: DType, ...values: number[]) => Tensor.of(values, dtype, [values.length]);
const floats = (...values: number[]) => numbers("float32", ...values);

/** A matrix of 3 x 4 with three elements, in order. */
const matrix = (dtype: DType = "float32") => [
  indices(2, 0, 0, 0, 3, 2, 1),
  numbers(dtype, 1, 2, 3),
  longs(3, 4),
];
const other = (dtype: DType = "float32") => [
  indices(2, 0, 1, 0, 3, 2, 2),
  numbers(dtype, 5, -2, 7),
  longs(3, 4),
];
const unordered = [indices(2, 2, 1, 0, 3, 0, 0, 2, 0), floats(3, 2, 1, 9), longs(3, 4)];
const outside = [indices(2, 0, 0, 3, 1), floats(1, 2), longs(3, 4)];
const none = [indices(2), floats(), longs(3, 4)];
const misfits = [
  [longs(0, 1), floats(1, 2), longs(4)],
  [indices(2, 0, 0), floats(1, 2), longs(3, 4)],
  [indices(2, 0, 0), floats(1), longs(3)],
  [indices(2, 0, 0), counting("float32", [1, 1]), longs(3, 4)],
];
const numberTypes = ["float32", "float64", "int32"] as const;

const arithmetic: OpCase[] = [
  ...numberTypes.flatMap((dtype): OpCase[] => [
    { op: "SparseTensorDenseMatMul", inputs: [...matrix(dtype), counting(dtype, [4, 2])] },
    {
      op: "SparseTensorDenseMatMul",
      inputs: [...matrix(dtype), counting(dtype, [3, 2])],
      attrs: { adjoint_a: true },
    },
    {
      op: "SparseTensorDenseMatMul",
      inputs: [...matrix(dtype), counting(dtype, [2, 4])],
      attrs: { adjoint_b: true },
    },
    { op: "SparseAdd", inputs: [...matrix(dtype), ...other(dtype), Tensor.of(0, dtype)] },
    { op: "SparseAdd", inputs: [...matrix(dtype), ...other(dtype), Tensor.of(4, dtype)] },
    { op: "SparseAdd", inputs: [...other(dtype), ...matrix(dtype), Tensor.of(4, dtype)] },
    { op: "SparseReduceSum", inputs: [...matrix(dtype), numbers("int32", 1)] },
    { op: "SparseReduceSum", inputs: [...matrix(dtype), numbers("int32", -2)], attrs: { keep_dims: true } },
    { op: "SparseReduceSum", inputs: [...matrix(dtype), numbers("int32")] },
    { op: "SparseReduceSum", inputs: [...matrix(dtype), numbers("int32", 0, 1)], attrs: { keep_dims: true } },
    { op: "SparseReduceSum", inputs: [...matrix(dtype), Tensor.of(0, "int32")] },
    { op: "SparseSparseMaximum", inputs: [...matrix(dtype), ...other(dtype)] },
    { op: "SparseSparseMinimum", inputs: [...matrix(dtype), ...other(dtype)] },
    { op: "SparseDenseCwiseMul", inputs: [...matrix(dtype), counting(dtype, [3, 4])] },
    { op: "SparseDenseCwiseMul", inputs: [...matrix(dtype), counting(dtype, [4])] },
    { op: "SparseDenseCwiseAdd", inputs: [...matrix(dtype), counting(dtype, [3, 1])] },
    { op: "SparseDenseCwiseAdd", inputs: [...matrix(dtype), Tensor.of(3, dtype)] },
  ]),
  { op: "SparseDenseCwiseDiv", inputs: [...matrix(), floats(2, 4, 8, 16)] },
  { op: "SparseDenseCwiseMul", inputs: [...matrix(), floats(2, 4, 8)] },
  { op: "SparseDenseCwiseMul", inputs: [...matrix(), counting("float32", [2, 3, 4])] },
  { op: "SparseSoftmax", inputs: matrix() },
  { op: "SparseSoftmax", inputs: matrix("float64") },
  { op: "SparseSoftmax", inputs: [indices(1, 0), floats(1), longs(2)] },
  { op: "SparseTensorDenseMatMul", inputs: [...unordered, counting("float32", [4, 2])] },
  { op: "SparseTensorDenseMatMul", inputs: [...none, counting("float32", [4, 2])] },
  { op: "SparseTensorDenseMatMul", inputs: [...matrix(), counting("float32", [3, 2])] },
  { op: "SparseTensorDenseMatMul", inputs: [...matrix(), floats(1, 2)] },
  { op: "SparseTensorDenseMatMul", inputs: [...outside, counting("float32", [4, 2])] },
  {
    op: "SparseTensorDenseMatMul",
    inputs: [...outside, counting("float32", [3, 2])],
    attrs: { adjoint_a: true },
  },
  { op: "SparseAdd", inputs: [...matrix(), indices(2), floats(), longs(3, 5), Tensor.of(0)] },
  { op: "SparseAdd", inputs: [...matrix(), ...none, Tensor.of(0)] },
  { op: "SparseReduceSum", inputs: [...matrix(), numbers("int32", 2)] },
  { op: "SparseReduceSum", inputs: [...none, numbers("int32", 1)] },
  { op: "SparseReduceSum", inputs: [...unordered, numbers("int32", 1)] },
];

const rearranged: OpCase[] = [
  ...[matrix(), unordered, none].flatMap((sparse): OpCase[] => [
    { op: "SparseReorder", inputs: sparse },
    { op: "SparseReshape", inputs: [sparse[0], sparse[2], longs(2, -1)] as Tensor[] },
    { op: "SparseReshape", inputs: [sparse[0], sparse[2], longs(2, 3, 2)] as Tensor[] },
    { op: "SparseFillEmptyRows", inputs: [...sparse, Tensor.of(7)] },
    { op: "SparseSlice", inputs: [...sparse, longs(0, 1), longs(2, 9)] },
    {
      op: "SparseConcat",
      inputs: [0, 1, 2].flatMap((i) => [sparse[i], matrix()[i]] as Tensor[]),
      attrs: { concat_dim: 0 },
    },
    {
      op: "SparseConcat",
      inputs: [0, 1, 2].flatMap((i) => [sparse[i], matrix()[i]] as Tensor[]),
      attrs: { concat_dim: -1 },
    },
  ]),
  ...[1, 2, 3, 4, 5].map(
    (num_split): OpCase => ({
      op: "SparseSplit",
      inputs: [Tensor.of(1n, "int64"), ...matrix()],
      attrs: { num_split },
    }),
  ),
  { op: "SparseReorder", inputs: [indices(2, 1, 1, 0, 0), Tensor.of(["b", "a"]), longs(2, 2)] },
  { op: "SparseFillEmptyRows", inputs: [indices(2, 1, 1), Tensor.of(["b"]), longs(2, 2), Tensor.of("x")] },
  { op: "SparseFillEmptyRows", inputs: [indices(2), floats(), longs(0, 2), Tensor.of(1)] },
  { op: "SparseFillEmptyRows", inputs: [indices(2, 0, 0), floats(1), longs(0, 2), Tensor.of(1)] },
  { op: "SparseFillEmptyRows", inputs: [...outside, Tensor.of(1)] },
  { op: "SparseFillEmptyRows", inputs: [...matrix(), floats(1)] },
  { op: "SparseSlice", inputs: [...matrix(), longs(0, 5), longs(2, 2)] },
  { op: "SparseSlice", inputs: [...matrix(), longs(0), longs(2)] },
  { op: "SparseReshape", inputs: [indices(2, 0, 0), longs(3, 4), longs(5, -1)] },
  { op: "SparseReshape", inputs: [indices(2, 0, 0), longs(3, 4), longs(-1, -1)] },
  { op: "SparseReshape", inputs: [indices(2, 0, 0), longs(3, 4), longs(11)] },
  { op: "SparseReshape", inputs: [indices(2), longs(3, 0), longs(0, -1)] },
  {
    op: "SparseConcat",
    inputs: [indices(2), indices(2), floats(), floats(), longs(2, 3), longs(3, 2)],
    attrs: { concat_dim: 0 },
  },
  {
    op: "SparseConcat",
    inputs: [indices(2), indices(2), floats(), floats(), longs(2, 3), longs(3, 3)],
    attrs: { concat_dim: 2 },
  },
  ...misfits.flatMap((sparse): OpCase[] => [
    { op: "SparseReorder", inputs: sparse },
    { op: "SparseFillEmptyRows", inputs: [...sparse, Tensor.of(1)] },
    { op: "SparseReduceSum", inputs: [...sparse, numbers("int32", 0)] },
    { op: "SparseTensorDenseMatMul", inputs: [...sparse, counting("float32", [4, 2])] },
  ]),
];

const operations = ["a-b", "b-a", "intersection", "union"];
const setTypes = ["int32", "int64", "uint8"] as const;
const sizes: OpCase[] = [
  matrix("int32"),
  [indices(2, 0, 0, 0, 3, 2, 1), Tensor.of(["a", "a", "b"]), longs(3, 4)],
  outside,
].map((inputs) => ({ op: "SetSize", inputs }));
const sets: OpCase[] = operations.flatMap((set_operation): OpCase[] => [
  ...setTypes.flatMap((dtype): OpCase[] => [
    {
      op: "DenseToDenseSetOperation",
      inputs: [
        Tensor.of([3, 1, 2, 2, 5, 9], dtype, [2, 3]),
        Tensor.of([2, 7, 1, 1, 5, 4, 8, 9], dtype, [2, 4]),
      ],
      attrs: { set_operation },
    },
    {
      op: "DenseToSparseSetOperation",
      inputs: [Tensor.of([3, 1, 2, 2, 5, 9, 1, 1, 1], dtype, [3, 3]), ...matrix(dtype)],
      attrs: { set_operation },
    },
    {
      op: "SparseToSparseSetOperation",
      inputs: [...matrix(dtype), ...matrix(dtype)],
      attrs: { set_operation },
    },
  ]),
  {
    op: "DenseToDenseSetOperation",
    inputs: [Tensor.of([["b", "a", "ä"]]), Tensor.of([["a", "c", ""]])],
    attrs: { set_operation },
  },
  {
    op: "DenseToDenseSetOperation",
    inputs: [counting("int32", [2, 2, 2]), counting("int32", [2, 2, 3])],
    attrs: { set_operation },
  },
  {
    op: "DenseToDenseSetOperation",
    inputs: [counting("int32", [2, 2]), counting("int32", [3, 3])],
    attrs: { set_operation },
  },
  {
    op: "DenseToDenseSetOperation",
    inputs: [counting("int32", [2]), counting("int32", [2])],
    attrs: { set_operation },
  },
]);

describe.skipIf(peerMissing("tensorflow"))("sparse tensors are what TensorFlow makes of them", () => {
  test("arithmetic", async () => {
    expect(await compareWithTensorflow(arithmetic)).toEqual([]);
  });

  test("order, shapes and parts", async () => {
    expect(await compareWithTensorflow(rearranged)).toEqual([]);
  });

  test("operations on sets", async () => {
    expect(await compareWithTensorflow([...sets, ...sizes])).toEqual([]);
  });
});
