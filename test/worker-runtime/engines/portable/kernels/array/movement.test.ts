import { expect, test } from "vitest";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { compareWithTensorflow, type OpCase } from "../against-tensorflow.js";
import { counting, numberDTypes } from "../case-values.js";

const ints = (...values: number[]) => Tensor.of(values, "int32", [values.length]);
const longs = (...values: number[]) => Tensor.of(values, "int64", [values.length]);
const matrix = (columns: number, ...values: number[]) =>
  Tensor.of(values, "int32", [values.length / columns, columns]);
const scalar = (value: number) => Tensor.of(value, "int32");
const movable = [...numberDTypes, "bool", "string", "complex64", "complex128"] as const;
const floats = (...shape: number[]) => counting("float32", shape);

function strided(
  input: Tensor,
  begin: number[],
  end: number[],
  strides: number[],
  masks: Record<string, number> = {},
): OpCase {
  return {
    op: "StridedSlice",
    inputs: [input, ints(...begin), ints(...end), ints(...strides)],
    attrs: masks,
  };
}

const stridedCases: OpCase[] = [
  strided(floats(4, 5), [1, 0], [3, 5], [1, 2]),
  strided(floats(4, 5), [3, 4], [0, 0], [-1, -2]),
  strided(floats(4, 5), [0, 0], [0, 0], [-1, 1], { begin_mask: 3, end_mask: 3 }),
  strided(floats(4, 5), [-1], [0], [1], { shrink_axis_mask: 1 }),
  strided(floats(4, 5), [-5], [0], [1], { shrink_axis_mask: 1 }),
  strided(floats(4, 5), [4], [5], [1], { shrink_axis_mask: 1 }),
  strided(floats(4, 5), [1], [2], [-1], { shrink_axis_mask: 1 }),
  strided(floats(4, 5), [10], [20], [1]),
  strided(floats(4, 5), [-10], [20], [3]),
  strided(floats(4, 5), [0], [2], [0]),
  strided(floats(4, 5), [0, 0, 0], [1, 1, 1], [1, 1, 1]),
  strided(floats(2, 3, 4), [0, 1], [0, 2], [1, 1], { ellipsis_mask: 1 }),
  strided(floats(2, 3, 4), [0, 0, 1], [0, 0, 2], [1, 1, 1], { ellipsis_mask: 1, new_axis_mask: 2 }),
  strided(floats(2, 3, 4), [0, 0, 1], [0, 0, 2], [1, 1, 1], { new_axis_mask: 2 }),
  strided(floats(2, 3, 4), [0, 0, 1], [0, 0, 2], [1, 1, 1], { new_axis_mask: 7 }),
  strided(floats(2, 3, 4), [0, 0, 1], [0, 0, 2], [1, 1, 1], { ellipsis_mask: 5 }),
  strided(floats(2, 3, 4), [1, 0, 2], [0, 0, 0], [1, 1, 1], { shrink_axis_mask: 5, end_mask: 2 }),
  strided(floats(2, 3, 4), [1, 0, 2], [0, 0, 0], [1, 1, 1], { shrink_axis_mask: 2, new_axis_mask: 2 }),
  strided(floats(2, 3, 4), [1, 0, 2], [0, 0, 0], [1, 1, 1], { ellipsis_mask: 2, shrink_axis_mask: 5 }),
  strided(floats(), [], [], []),
  strided(floats(), [0], [0], [1], { new_axis_mask: 1 }),
  strided(floats(0, 3), [0], [1], [1]),
  strided(floats(4), [2], [2], [1]),
  strided(floats(4), [0, 0], [1], [1]),
  ...movable.map((dtype) => strided(counting(dtype, [4, 5]), [1, 4], [4, 0], [2, -1])),
];

const gradCases: OpCase[] = [
  ...movable.map((dtype) => ({
    op: "StridedSliceGrad",
    inputs: [ints(4, 5), ints(1, 0), ints(3, 4), ints(1, 2), counting(dtype, [2, 2])],
  })),
  {
    op: "StridedSliceGrad",
    inputs: [ints(4, 5), ints(1), ints(3), ints(1), floats(5)],
    attrs: { shrink_axis_mask: 1 },
  },
  { op: "StridedSliceGrad", inputs: [ints(4, 5), ints(1), ints(3), ints(1), floats(5)] },
];

const moveCases: OpCase[] = [
  ...movable.flatMap((dtype): OpCase[] => [
    { op: "Slice", inputs: [counting(dtype, [3, 4]), ints(1, 1), ints(2, -1)] },
    { op: "Transpose", inputs: [counting(dtype, [2, 3, 4]), ints(2, 0, 1)] },
    { op: "ConjugateTranspose", inputs: [counting(dtype, [2, 3]), ints(1, 0)] },
    { op: "Tile", inputs: [counting(dtype, [2, 3]), ints(2, 2)] },
    { op: "Pad", inputs: [counting(dtype, [2, 3]), matrix(2, 1, 0, 2, 1)] },
    { op: "PadV2", inputs: [counting(dtype, [2, 3]), matrix(2, 1, 0, 2, 1), counting(dtype, [])] },
    { op: "MirrorPad", inputs: [counting(dtype, [2, 3]), matrix(2, 1, 1, 2, 1)], attrs: { mode: "REFLECT" } },
    {
      op: "MirrorPad",
      inputs: [counting(dtype, [2, 3]), matrix(2, 2, 1, 2, 3)],
      attrs: { mode: "SYMMETRIC" },
    },
    { op: "ReverseV2", inputs: [counting(dtype, [2, 3]), ints(1)] },
    { op: "Reverse", inputs: [counting(dtype, [2, 3]), Tensor.of([true, false])] },
    {
      op: "ReverseSequence",
      inputs: [counting(dtype, [2, 3, 2]), ints(2, 3)],
      attrs: { seq_dim: 1, batch_dim: 0 },
    },
    {
      op: "ReverseSequence",
      inputs: [counting(dtype, [3, 2]), ints(2, 0)],
      attrs: { seq_dim: 0, batch_dim: 1 },
    },
    { op: "Roll", inputs: [counting(dtype, [3, 4]), ints(1, -2), ints(0, 1)] },
    { op: "Gather", inputs: [counting(dtype, [3, 2]), ints(2, 0, 2)] },
    { op: "GatherV2", inputs: [counting(dtype, [2, 3]), matrix(2, 1, 0, 2, 2), scalar(1)] },
    { op: "GatherNd", inputs: [counting(dtype, [2, 3]), matrix(2, 1, 0, 0, 2)] },
    { op: "GatherNd", inputs: [counting(dtype, [2, 3]), matrix(1, 1, 0, 1)] },
    { op: "ScatterNd", inputs: [matrix(1, 2, 0, 2), counting(dtype, [3, 2]), ints(4, 2)] },
    ...["Update", "Add", "Sub", "Max", "Min"].map((kind) => ({
      op: `TensorScatter${kind}`,
      inputs: [counting(dtype, [4, 2]), matrix(1, 2, 0, 2), counting(dtype, [3, 2])],
    })),
  ]),
  { op: "Slice", inputs: [floats(3, 4), longs(0, 0), longs(3, 4)] },
  { op: "Slice", inputs: [floats(3, 4), ints(0, 5), ints(1, 0)] },
  { op: "Slice", inputs: [floats(3, 4), ints(0, 1), ints(1, 4)] },
  { op: "Slice", inputs: [floats(3, 4), ints(0), ints(1)] },
  { op: "Slice", inputs: [floats(), ints(), ints()] },
  { op: "Slice", inputs: [floats(0, 2), ints(0, 1), ints(-1, 1)] },
  { op: "Transpose", inputs: [floats(2, 3), ints(0, 0)] },
  { op: "Transpose", inputs: [floats(2, 3), ints(0)] },
  { op: "Transpose", inputs: [floats(2, 3), ints(0, 2)] },
  { op: "Transpose", inputs: [floats(2, 3), ints(-1, 0)] },
  { op: "Transpose", inputs: [floats(), longs()] },
  { op: "Transpose", inputs: [floats(1, 0, 3), longs(2, 1, 0)] },
  { op: "Transpose", inputs: [floats(2, 1, 3, 1, 2), ints(4, 3, 2, 1, 0)] },
  { op: "Transpose", inputs: [floats(65, 70), ints(1, 0)] },
  { op: "InvertPermutation", inputs: [ints(3, 4, 0, 2, 1)] },
  { op: "InvertPermutation", inputs: [longs(0, 0)] },
  { op: "InvertPermutation", inputs: [ints(0, 2)] },
  { op: "InvertPermutation", inputs: [ints()] },
  { op: "Tile", inputs: [floats(2, 3), ints(0, 2)] },
  { op: "Tile", inputs: [floats(2, 3), ints(-1, 2)] },
  { op: "Tile", inputs: [floats(2, 3), ints(2)] },
  { op: "Tile", inputs: [floats(), ints()] },
  { op: "Tile", inputs: [floats(3), longs(2)] },
  { op: "Pad", inputs: [floats(2), matrix(2, 0, 0)] },
  { op: "Pad", inputs: [floats(0), matrix(2, 1, 1)] },
  { op: "Pad", inputs: [floats(2), matrix(2, -1, 0)] },
  { op: "Pad", inputs: [floats(2, 2), matrix(2, 1, 0)] },
  { op: "MirrorPad", inputs: [floats(2), matrix(2, 2, 0)], attrs: { mode: "REFLECT" } },
  { op: "MirrorPad", inputs: [floats(2), matrix(2, 2, 0)], attrs: { mode: "SYMMETRIC" } },
  { op: "MirrorPadGrad", inputs: [floats(5, 6), matrix(2, 1, 1, 2, 1)], attrs: { mode: "REFLECT" } },
  { op: "MirrorPadGrad", inputs: [floats(5, 6), matrix(2, 1, 1, 2, 1)], attrs: { mode: "SYMMETRIC" } },
  { op: "ReverseV2", inputs: [floats(2, 3), ints(0, -1)] },
  { op: "ReverseV2", inputs: [floats(2, 3), ints(0, 0)] },
  { op: "ReverseV2", inputs: [floats(2, 3), ints(2)] },
  { op: "ReverseV2", inputs: [floats(2, 3), ints()] },
  { op: "ReverseV2", inputs: [floats(), ints(5)] },
  { op: "ReverseV2", inputs: [floats(0, 2), ints(5)] },
  { op: "Reverse", inputs: [floats(), Tensor.of([true])] },
  { op: "Reverse", inputs: [floats(0), Tensor.of([true])] },
  { op: "Reverse", inputs: [floats(2, 0), Tensor.of([true, false])] },
  { op: "ReverseSequence", inputs: [floats(2, 3), ints(2)], attrs: { seq_dim: 1 } },
  { op: "ReverseSequence", inputs: [floats(2, 3), ints(4, 1)], attrs: { seq_dim: 1 } },
  { op: "ReverseSequence", inputs: [floats(2, 3), ints(2, 1)], attrs: { seq_dim: 0 } },
  { op: "Roll", inputs: [floats(3, 4), scalar(5), scalar(1)] },
  { op: "Roll", inputs: [floats(3, 4), ints(1, 1), ints(0, 0)] },
  { op: "Roll", inputs: [floats(3, 4), scalar(5), scalar(2)] },
  { op: "Gather", inputs: [floats(3, 2), ints(3)] },
  { op: "Gather", inputs: [floats(3, 2), scalar(-1)] },
  { op: "Gather", inputs: [floats(0, 2), ints()] },
  { op: "GatherV2", inputs: [floats(2, 3), matrix(2, 1, 0, 2, 1), scalar(1)], attrs: { batch_dims: 1 } },
  { op: "GatherV2", inputs: [floats(2, 3, 2), matrix(1, 1, 0), scalar(2)], attrs: { batch_dims: 1 } },
  { op: "GatherV2", inputs: [floats(2, 3), matrix(1, 1, 0, 1), scalar(1)], attrs: { batch_dims: 1 } },
  { op: "GatherV2", inputs: [floats(2, 3), scalar(1), scalar(-1)] },
  { op: "GatherV2", inputs: [floats(2, 3), scalar(1), scalar(2)] },
  { op: "GatherV2", inputs: [floats(2, 3), scalar(3), scalar(1)] },
  { op: "GatherNd", inputs: [floats(2, 3), matrix(2, 1, 3)] },
  { op: "GatherNd", inputs: [floats(2, 3), matrix(3, 1, 1, 1)] },
  { op: "GatherNd", inputs: [floats(2, 3), Tensor.of([], "int32", [2, 0])] },
  { op: "GatherNd", inputs: [floats(2, 3), ints(1, 1)] },
  { op: "ScatterNd", inputs: [matrix(1, 4), floats(1), ints(4)] },
  { op: "ScatterNd", inputs: [matrix(1, 3), floats(2), ints(4)] },
  { op: "ScatterNd", inputs: [matrix(2, 0, 0), floats(1), ints(2, 2)] },
  { op: "ScatterNd", inputs: [Tensor.of([], "int32", [0, 1]), floats(0), ints(4)] },
  { op: "TensorScatterUpdate", inputs: [floats(4), matrix(1, 4), floats(1)] },
];

test.skipIf(peerMissing("tensorflow"))("moved elements are as in TensorFlow", async () => {
  expect(await compareWithTensorflow([...stridedCases, ...gradCases, ...moveCases])).toEqual([]);
});
