import { expect, test } from "vitest";
import type { DType } from "../../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { compareWithTensorflow, type OpCase } from "../against-tensorflow.js";
import { counting, numberDTypes } from "../case-values.js";

const ints = (...values: number[]) => Tensor.of(values, "int32", [values.length]);
const longs = (...values: number[]) => Tensor.of(values, "int64", [values.length]);
const scalar = (value: number, dtype: DType = "int32") => Tensor.of(value, dtype);
const floats = (...shape: number[]) => counting("float32", shape);

const orderCases: OpCase[] = [
  ...numberDTypes.flatMap((dtype): OpCase[] => [
    ...["ArgMax", "ArgMin"].flatMap((op) => [
      { op, inputs: [counting(dtype, [3, 13]), scalar(1)] },
      { op, inputs: [counting(dtype, [13, 3]), scalar(-2)], attrs: { output_type: "int32" as const } },
    ]),
    ...["Cumsum", "Cumprod"].flatMap((op) => [
      { op, inputs: [counting(dtype, [2, 4, 2]), scalar(1)], ulps: 16 },
      { op, inputs: [counting(dtype, [4]), scalar(-1)], attrs: { exclusive: true }, ulps: 16 },
      { op, inputs: [counting(dtype, [4]), scalar(0)], attrs: { reverse: true, exclusive: true }, ulps: 16 },
    ]),
    { op: "TopKV2", inputs: [counting(dtype, [2, 40]), scalar(3)] },
    { op: "TopKV2", inputs: [counting(dtype, [13]), scalar(5)] },
  ]),
  { op: "ArgMax", inputs: [Tensor.of([1, NaN, 3, 3]), scalar(0)] },
  { op: "ArgMax", inputs: [Tensor.of([-Infinity, -Infinity]), scalar(0)] },
  { op: "ArgMax", inputs: [counting("bool", [4]), scalar(0)] },
  { op: "ArgMax", inputs: [floats(0), scalar(0)] },
  { op: "ArgMax", inputs: [floats(0, 3), scalar(1)] },
  { op: "ArgMax", inputs: [floats(2), scalar(1)] },
  { op: "ArgMax", inputs: [floats(), scalar(0)] },
  { op: "Cumsum", inputs: [floats(0, 3), scalar(0)] },
  { op: "Cumsum", inputs: [floats(3), scalar(1)] },
  { op: "Cumsum", inputs: [floats(3), ints(0, 0)] },
  ...(["float32", "float64"] as const).flatMap((dtype): OpCase[] => [
    { op: "CumulativeLogsumexp", inputs: [counting(dtype, [2, 5]), scalar(1)], ulps: 16, absolute: 1e-6 },
    {
      op: "CumulativeLogsumexp",
      inputs: [counting(dtype, [5]), scalar(0)],
      attrs: { exclusive: true, reverse: true },
      ulps: 16,
      absolute: 1e-6,
    },
  ]),
  { op: "TopKV2", inputs: [floats(3), scalar(4)] },
  { op: "TopKV2", inputs: [floats(3), scalar(-1)] },
  { op: "TopKV2", inputs: [floats(2, 0), scalar(0)] },
  { op: "TopKV2", inputs: [floats(), scalar(0)] },
  { op: "TopKV2", inputs: [Tensor.of([1, 3, 3, 2, 3]), scalar(2)] },
  {
    op: "InTopK",
    inputs: [
      Tensor.of([
        [0.1, 0.5, 0.5, NaN],
        [1, 2, 3, 4],
        [1, 2, 3, 4],
      ]),
      ints(1, 2, 9),
    ],
    attrs: { k: 2 },
  },
  {
    op: "InTopKV2",
    inputs: [
      Tensor.of([
        [1, 2, 3],
        [3, 3, 3],
      ]),
      ints(0, 2),
      scalar(2),
    ],
  },
  {
    op: "InTopKV2",
    inputs: [
      Tensor.of([
        [1, Infinity, 3],
        [3, 3, 3],
      ]),
      longs(0, 2),
      scalar(1, "int64"),
    ],
  },
  { op: "InTopKV2", inputs: [Tensor.of([[1, 2, 3]]), ints(0, 2), scalar(2)] },
];

const segmentCases: OpCase[] = numberDTypes.flatMap((dtype): OpCase[] => [
  ...["SegmentSum", "SegmentMean", "SegmentMax", "SegmentMin", "SegmentProd"].map((op) => ({
    op,
    inputs: [counting(dtype, [5, 2]), ints(0, 0, 1, 3, 3)],
  })),
  ...["UnsortedSegmentSum", "UnsortedSegmentMax", "UnsortedSegmentMin", "UnsortedSegmentProd"].map((op) => ({
    op,
    inputs: [counting(dtype, [5, 2]), ints(2, 0, -1, 2, 0), scalar(4)],
    ulps: 8,
  })),
  ...["SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"].map((op) => ({
    op,
    inputs: [counting(dtype, [5, 2]), ints(4, 0, 0, 2), ints(0, 0, 0, 2)],
  })),
]);
segmentCases.push(
  { op: "SegmentSum", inputs: [floats(3), ints(1, 0, 0)] },
  { op: "SegmentSum", inputs: [floats(3), ints(-1, 0, 0)] },
  { op: "SegmentSum", inputs: [floats(3), ints(0, 1)] },
  { op: "SegmentSum", inputs: [floats(0, 2), ints()] },
  { op: "SegmentMax", inputs: [floats(2, 2), longs(1, 3)] },
  {
    op: "UnsortedSegmentSum",
    inputs: [
      floats(2, 3, 2),
      Tensor.of(
        [
          [0, 1, 0],
          [1, 1, 2],
        ],
        "int32",
      ),
      scalar(3),
    ],
  },
  { op: "UnsortedSegmentSum", inputs: [floats(3), ints(0, 3, 1), scalar(3)] },
  { op: "UnsortedSegmentSum", inputs: [floats(3), ints(0, 1), scalar(3)] },
  { op: "UnsortedSegmentMax", inputs: [floats(0), ints(), scalar(2)] },
  { op: "SparseSegmentSum", inputs: [floats(3, 2), ints(0, 3), ints(0, 1)] },
  { op: "SparseSegmentSum", inputs: [floats(3, 2), ints(0, 1), ints(1, 0)] },
  { op: "SparseSegmentSumWithNumSegments", inputs: [floats(3, 2), ints(0, 1), ints(0, 1), scalar(4)] },
  { op: "SparseSegmentMeanWithNumSegments", inputs: [floats(3, 2), ints(0, 1), ints(0, 1), scalar(1)] },
);

const countCases: OpCase[] = [
  ...(["int32", "int64", "float32", "float64"] as const).flatMap((dtype): OpCase[] => [
    { op: "Range", inputs: [scalar(2, dtype), scalar(11, dtype), scalar(3, dtype)] },
    { op: "Range", inputs: [scalar(5, dtype), scalar(0, dtype), scalar(-2, dtype)] },
    { op: "Range", inputs: [scalar(5, dtype), scalar(5, dtype), scalar(1, dtype)] },
    { op: "Range", inputs: [scalar(5, dtype), scalar(0, dtype), scalar(1, dtype)] },
    { op: "Range", inputs: [scalar(5, dtype), scalar(0, dtype), scalar(0, dtype)] },
    { op: "Range", inputs: [scalar(0, dtype), scalar(5, dtype), scalar(-1, dtype)] },
    { op: "Bincount", inputs: [ints(1, 0, 1, 5), scalar(4), Tensor.of([], dtype, [0])] },
    { op: "Bincount", inputs: [ints(1, 0, 1, 5), scalar(4), counting(dtype, [4])] },
    { op: "DenseBincount", inputs: [ints(1, 0, 1, 5), scalar(4), Tensor.of([], dtype, [0])] },
    {
      op: "DenseBincount",
      inputs: [
        Tensor.of(
          [
            [1, 1],
            [0, 5],
          ],
          "int64",
        ),
        scalar(3, "int64"),
        Tensor.of([], dtype, [0]),
      ],
      attrs: { binary_output: true },
    },
    { op: "HistogramFixedWidth", inputs: [counting(dtype, [9]), Tensor.of([0, 8], dtype), scalar(3)] },
    { op: "Bucketize", inputs: [counting(dtype, [9])], attrs: { boundaries: [-1, 0, 2.5, 3] } },
    {
      op: "Cross",
      inputs: [
        counting(dtype, [2, 3]),
        Tensor.of(
          [
            [3, 1, 2],
            [1, 1, 5],
          ],
          dtype,
        ),
      ],
    },
  ]),
  { op: "Range", inputs: [Tensor.of(0), Tensor.of(1), Tensor.of(0.1)] },
  { op: "Range", inputs: [ints(1, 2), scalar(2), scalar(1)] },
  { op: "Bincount", inputs: [ints(-1), scalar(4), floats(0)] },
  { op: "Bincount", inputs: [ints(1), scalar(-4), floats(0)] },
  { op: "Bincount", inputs: [ints(1, 2), scalar(4), floats(3)] },
  { op: "HistogramFixedWidth", inputs: [floats(9), Tensor.of([8, 0]), scalar(3)] },
  { op: "HistogramFixedWidth", inputs: [floats(9), Tensor.of([0, 8]), scalar(0)] },
  { op: "Bucketize", inputs: [floats(9)], attrs: { boundaries: [] } },
  { op: "LinSpace", inputs: [Tensor.of(1), Tensor.of(4), scalar(7)] },
  { op: "LinSpace", inputs: [Tensor.of(1, "float64"), Tensor.of(-4, "float64"), scalar(1, "int64")] },
  { op: "LinSpace", inputs: [Tensor.of(1), Tensor.of(4), scalar(0)] },
  { op: "Cross", inputs: [floats(3), floats(2, 3)] },
  { op: "Cross", inputs: [floats(2), floats(2)] },
];

test.skipIf(peerMissing("tensorflow"))("order, segments and counts are as in TensorFlow", async () => {
  expect(await compareWithTensorflow([...orderCases, ...segmentCases, ...countCases])).toEqual([]);
});
