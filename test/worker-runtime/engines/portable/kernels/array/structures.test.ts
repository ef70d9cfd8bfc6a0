import { expect, test } from "vitest";
import type { DType } from "../../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { compareWithTensorflow, type OpCase } from "../against-tensorflow.js";
import { counting, numberDTypes } from "../case-values.js";

const ints = (...values: number[]) => Tensor.of(values, "int32", [values.length]);
const longs = (...values: number[]) => Tensor.of(values, "int64", [values.length]);
const matrix = (columns: number, ...values: number[]) =>
  Tensor.of(values, "int32", [values.length / columns, columns]);
const scalar = (value: number, dtype: DType = "int32") => Tensor.of(value, dtype);
const floats = (...shape: number[]) => counting("float32", shape);
const movable = [...numberDTypes, "bool", "string", "complex64"] as const;
const alignments = ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"];

const listCases: OpCase[] = [
  ...movable.flatMap((dtype): OpCase[] => [
    {
      op: "OneHot",
      inputs: [
        ints(1, 0, 5, -1),
        scalar(3),
        counting(dtype, []),
        Tensor.of(counting(dtype, [2]).at(1) as never, dtype),
      ],
    },
    {
      op: "DynamicStitch",
      inputs: [
        scalar(2),
        ints(4, 1),
        matrix(2, 0, 3, 0, 2),
        counting(dtype, [2]),
        counting(dtype, [2, 2]),
        counting(dtype, [2, 2, 2]),
      ],
    },
    {
      op: "ParallelDynamicStitch",
      inputs: [ints(0, 2), ints(1), counting(dtype, [2]), counting(dtype, [1])],
    },
    {
      op: "DynamicPartition",
      inputs: [counting(dtype, [4, 2]), ints(1, 0, 1, 1)],
      attrs: { num_partitions: 3 },
    },
    { op: "Unique", inputs: [counting(dtype, [25])] },
    { op: "Unique", inputs: [counting(dtype, [25])], attrs: { out_idx: "int64" } },
    { op: "UniqueV2", inputs: [counting(dtype, [22, 2]), ints(0)] },
    { op: "UniqueV2", inputs: [counting(dtype, [25]), ints()] },
    { op: "UniqueWithCounts", inputs: [counting(dtype, [25])] },
    { op: "ListDiff", inputs: [counting(dtype, [9]), counting(dtype, [3])] },
    {
      op: "SparseToDense",
      inputs: [matrix(2, 0, 1, 1, 2), ints(2, 3), counting(dtype, [2]), counting(dtype, [])],
    },
  ]),
  {
    op: "OneHot",
    inputs: [matrix(2, 0, 1, 2, 1), scalar(3), Tensor.of(1), Tensor.of(0)],
    attrs: { axis: 0 },
  },
  {
    op: "OneHot",
    inputs: [matrix(2, 0, 1, 2, 1), scalar(3), Tensor.of(1), Tensor.of(0)],
    attrs: { axis: 1 },
  },
  {
    op: "OneHot",
    inputs: [matrix(2, 0, 1, 2, 1), scalar(3), Tensor.of(1), Tensor.of(0)],
    attrs: { axis: 3 },
  },
  { op: "OneHot", inputs: [scalar(1), scalar(0), Tensor.of(1), Tensor.of(0)] },
  { op: "OneHot", inputs: [scalar(1), scalar(-1), Tensor.of(1), Tensor.of(0)] },
  { op: "OneHot", inputs: [scalar(1), ints(2), Tensor.of(1), Tensor.of(0)] },
  { op: "DynamicStitch", inputs: [ints(0, 1), ints(1, 0), floats(2), Tensor.of([7, 8])] },
  { op: "DynamicStitch", inputs: [ints(), floats(0, 2)] },
  { op: "DynamicStitch", inputs: [ints(-1), floats(1)] },
  { op: "DynamicStitch", inputs: [ints(1, 0), floats(3)] },
  { op: "DynamicStitch", inputs: [ints(0), ints(1), floats(1), floats(1, 2)] },
  { op: "DynamicPartition", inputs: [floats(2), ints(0, 2)], attrs: { num_partitions: 2 } },
  { op: "DynamicPartition", inputs: [floats(2), ints(0)], attrs: { num_partitions: 2 } },
  { op: "DynamicPartition", inputs: [floats(2, 2), matrix(2, 0, 1, 1, 1)], attrs: { num_partitions: 2 } },
  { op: "Unique", inputs: [Tensor.of([0, -0, 1, 1])] },
  { op: "Unique", inputs: [floats(0)] },
  { op: "Unique", inputs: [floats(2, 2)] },
  {
    op: "UniqueV2",
    inputs: [
      Tensor.of(
        [
          [1, 2, 1],
          [3, 4, 3],
        ],
        "int32",
      ),
      ints(1),
    ],
  },
  { op: "UniqueV2", inputs: [floats(2, 2), ints(2)] },
  {
    op: "UniqueWithCountsV2",
    inputs: [
      Tensor.of(
        [
          [1, 2],
          [1, 2],
        ],
        "int32",
      ),
      longs(0),
    ],
  },
  { op: "ListDiff", inputs: [floats(2), floats(2, 2)] },
  ...numberDTypes.flatMap((dtype): OpCase[] => [
    { op: "LowerBound", inputs: [Tensor.of([[1, 3, 3, 5]], dtype), Tensor.of([[0, 1, 3, 4, 9]], dtype)] },
    {
      op: "UpperBound",
      inputs: [Tensor.of([[1, 3, 3, 5]], dtype), Tensor.of([[0, 1, 3, 4, 9]], dtype)],
      attrs: { out_type: "int64" },
    },
  ]),
  { op: "LowerBound", inputs: [floats(2, 2), floats(1, 2)] },
  { op: "LowerBound", inputs: [floats(2), floats(2)] },
  { op: "SparseToDense", inputs: [ints(2, 0), ints(3), floats(2), Tensor.of(0)] },
  {
    op: "SparseToDense",
    inputs: [ints(2, 0), ints(3), floats(2), Tensor.of(0)],
    attrs: { validate_indices: false },
  },
  { op: "SparseToDense", inputs: [ints(0, 0), ints(3), floats(2), Tensor.of(0)] },
  { op: "SparseToDense", inputs: [ints(0, 3), ints(3), floats(2), Tensor.of(0)] },
  { op: "SparseToDense", inputs: [scalar(1), ints(3), Tensor.of(5), Tensor.of(0)] },
  { op: "SparseToDense", inputs: [ints(1), ints(3, 2), Tensor.of(5), Tensor.of(0)] },
];

const diagonalCases: OpCase[] = [
  ...movable.flatMap((dtype): OpCase[] => [
    { op: "Diag", inputs: [counting(dtype, [3])] },
    { op: "DiagPart", inputs: [counting(dtype, [2, 3, 2, 3])] },
    { op: "MatrixDiag", inputs: [counting(dtype, [2, 3])] },
    { op: "MatrixDiagPart", inputs: [counting(dtype, [2, 3, 4])] },
    { op: "MatrixSetDiag", inputs: [counting(dtype, [2, 3, 4]), counting(dtype, [2, 3])] },
    { op: "MatrixBandPart", inputs: [counting(dtype, [2, 4, 5]), scalar(1, "int64"), scalar(-1, "int64")] },
    { op: "SpaceToBatchND", inputs: [counting(dtype, [1, 3, 4, 2]), ints(2, 2), matrix(2, 1, 0, 0, 2)] },
    { op: "BatchToSpaceND", inputs: [counting(dtype, [4, 2, 3, 2]), ints(2, 2), matrix(2, 1, 0, 0, 2)] },
    { op: "SpaceToDepth", inputs: [counting(dtype, [1, 4, 6, 2])], attrs: { block_size: 2 } },
    { op: "DepthToSpace", inputs: [counting(dtype, [1, 2, 3, 8])], attrs: { block_size: 2 } },
  ]),
  ...alignments.flatMap((align) =>
    [
      [-1, 2],
      [0, 1],
      [-2, -1],
      [1, 1],
      [-3, 4],
    ].flatMap(([low = 0, high = 0]): OpCase[] => {
      const band = new Array<number>(high === low ? 0 : 1).fill(high - low + 1);
      const longest = Math.min(4 + Math.min(high, 0), 5 - Math.max(low, 0));
      return [
        {
          op: "MatrixDiagPartV3",
          inputs: [floats(2, 4, 5), ints(low, high), Tensor.of(9)],
          attrs: { align },
        },
        {
          op: "MatrixSetDiagV3",
          inputs: [floats(2, 4, 5), counting("float32", [2, ...band, longest]), ints(low, high)],
          attrs: { align },
        },
        {
          op: "MatrixDiagV3",
          inputs: [
            counting("float32", [2, ...band, longest]),
            ints(low, high),
            scalar(4),
            scalar(5),
            Tensor.of(9),
          ],
          attrs: { align },
        },
      ];
    }),
  ),
  { op: "MatrixDiagPartV2", inputs: [floats(3, 4), scalar(1), Tensor.of(0)] },
  { op: "MatrixDiagPartV2", inputs: [floats(3, 4), scalar(4), Tensor.of(0)] },
  { op: "MatrixDiagPartV2", inputs: [floats(3, 4), ints(1, 0), Tensor.of(0)] },
  { op: "MatrixDiagV2", inputs: [floats(2), scalar(1), scalar(-1), scalar(-1), Tensor.of(0)] },
  { op: "MatrixDiagV2", inputs: [floats(2), scalar(-1), scalar(-1), scalar(2), Tensor.of(0)] },
  { op: "MatrixDiagV2", inputs: [floats(2), scalar(0), scalar(1), scalar(-1), Tensor.of(0)] },
  { op: "MatrixDiagV2", inputs: [floats(2), scalar(0), scalar(3), scalar(3), Tensor.of(0)] },
  { op: "MatrixSetDiagV2", inputs: [floats(3, 4), floats(2), scalar(0)] },
  { op: "MatrixBandPart", inputs: [floats(3, 4), scalar(4), scalar(0)] },
  { op: "MatrixBandPart", inputs: [floats(3, 4), scalar(0), scalar(1)] },
  { op: "MatrixBandPart", inputs: [floats(3), scalar(0), scalar(1)] },
  { op: "Diag", inputs: [floats()] },
  { op: "DiagPart", inputs: [floats(2, 3)] },
  { op: "DiagPart", inputs: [floats(2)] },
  { op: "SpaceToBatch", inputs: [floats(1, 2, 2, 1), matrix(2, 0, 0, 0, 0)], attrs: { block_size: 2 } },
  { op: "BatchToSpace", inputs: [floats(4, 1, 1, 1), matrix(2, 0, 0, 0, 0)], attrs: { block_size: 2 } },
  { op: "SpaceToBatchND", inputs: [floats(1, 3), ints(2), matrix(2, 0, 0)] },
  { op: "BatchToSpaceND", inputs: [floats(3, 3), ints(2), matrix(2, 0, 0)] },
  { op: "SpaceToDepth", inputs: [floats(1, 3, 4, 1)], attrs: { block_size: 2 } },
  { op: "DepthToSpace", inputs: [floats(1, 3, 4, 3)], attrs: { block_size: 2 } },
];

test.skipIf(peerMissing("tensorflow"))("lists, diagonals and blocks are as in TensorFlow", async () => {
  expect(await compareWithTensorflow([...listCases, ...diagonalCases])).toEqual([]);
});
