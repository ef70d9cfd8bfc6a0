import { expect, test } from "vitest";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { compareWithTensorflow } from "../against-tensorflow.js";
import { counting, numberDTypes } from "../case-values.js";
import { type OpCase, runCase } from "../op-case.js";

const ints = (...values: number[]) => Tensor.of(values, "int32", [values.length]);
const longs = (...values: number[]) => Tensor.of(values, "int64", [values.length]);
const scalar = (value: number) => Tensor.of(value, "int32");
const movable = [...numberDTypes, "bool", "string", "complex64", "complex128"] as const;

const shapeCases: OpCase[] = [
  ...[[], [0], [3], [2, 0, 3], [1, 2, 1]].flatMap((shape): OpCase[] => {
    const input = counting("float32", shape);
    return [
      { op: "Shape", inputs: [input] },
      { op: "Shape", inputs: [input], attrs: { out_type: "int64" } },
      { op: "ShapeN", inputs: [input, counting("float32", [4])] },
      { op: "Size", inputs: [input] },
      { op: "Size", inputs: [input], attrs: { out_type: "int64" } },
      { op: "Rank", inputs: [input] },
      { op: "Squeeze", inputs: [input] },
      { op: "ZerosLike", inputs: [input] },
      { op: "OnesLike", inputs: [input] },
      ...[-3, -1, 0, 1, 4].map((axis) => ({ op: "ExpandDims", inputs: [input, scalar(axis)] })),
      ...[[-1], [3], [0, -1], [2, -1, 3], [0], [], [-1, -1], [-2], [-1, 2], [3, 0, -1], [-1, 0]].map(
        (sizes) => ({ op: "Reshape", inputs: [input, ints(...sizes)] }),
      ),
    ];
  }),
  { op: "Reshape", inputs: [counting("string", [2, 3]), longs(3, -1)] },
  { op: "Reshape", inputs: [counting("float32", [2, 3]), Tensor.of([[6]], "int32")] },
  { op: "Squeeze", inputs: [counting("float32", [1, 2, 1])], attrs: { squeeze_dims: [0] } },
  { op: "Squeeze", inputs: [counting("float32", [1, 2, 1])], attrs: { squeeze_dims: [-1, 0] } },
  { op: "Squeeze", inputs: [counting("float32", [1, 2, 1])], attrs: { squeeze_dims: [1] } },
  { op: "Squeeze", inputs: [counting("float32", [1, 2, 1])], attrs: { squeeze_dims: [3] } },
  { op: "EnsureShape", inputs: [counting("float32", [1, 2])], attrs: { shape: [-1, 2] } },
  { op: "EnsureShape", inputs: [counting("float32", [1, 2])], attrs: { shape: [-1, 3] } },
  { op: "EnsureShape", inputs: [counting("float32", [1, 2])], attrs: { shape: [-1] } },
  { op: "GuaranteeConst", inputs: [counting("float32", [1, 2])] },
  ...movable.flatMap((dtype) => [
    { op: "ZerosLike", inputs: [counting(dtype, [2])] },
    { op: "OnesLike", inputs: [counting(dtype, [2])] },
    { op: "Fill", inputs: [ints(2, 3), counting(dtype, [])] },
    { op: "BroadcastTo", inputs: [counting(dtype, [2, 1]), ints(3, 2, 4)] },
  ]),
  { op: "Fill", inputs: [ints(), counting("float32", [])] },
  { op: "Fill", inputs: [ints(0), counting("float32", [])] },
  { op: "Fill", inputs: [ints(-1), counting("float32", [])] },
  { op: "Fill", inputs: [scalar(2), counting("float32", [])] },
  { op: "Fill", inputs: [longs(2), counting("float32", [2])] },
  { op: "Fill", inputs: [longs(2 ** 40, 2 ** 40), counting("float32", [])] },
  { op: "BroadcastTo", inputs: [counting("float32", [2, 1]), ints(2)] },
  { op: "BroadcastTo", inputs: [counting("float32", [2]), ints(3)] },
  { op: "BroadcastTo", inputs: [counting("float32", [2]), ints(1)] },
  { op: "BroadcastTo", inputs: [counting("float32", [1]), longs(0, 2)] },
  { op: "BroadcastTo", inputs: [counting("float32", []), longs()] },
  ...["BroadcastArgs", "BroadcastGradientArgs"].flatMap((op) =>
    (
      [
        [[], []],
        [[2], []],
        [[2, 1], [3]],
        [[1], [1]],
        [[1, 1], [1]],
        [
          [1, 2],
          [3, 1],
        ],
        [
          [2, 1, 3],
          [2, 1, 3],
        ],
        [
          [2, 1, 3],
          [2, 1, 1],
        ],
        [[0], [1]],
        [[2], [3]],
        [
          [1, 2, 1, 1],
          [5, 1, 1, 3],
        ],
      ] as [number[], number[]][]
    ).flatMap(([a, b]) => [
      { op, inputs: [ints(...a), ints(...b)] },
      { op, inputs: [longs(...b), longs(...a)] },
    ]),
  ),
  { op: "BroadcastGradientArgs", inputs: [scalar(2), ints(1)] },
];

const joinCases: OpCase[] = [
  ...movable.flatMap((dtype): OpCase[] => [
    { op: "ConcatV2", inputs: [counting(dtype, [2, 3]), counting(dtype, [2, 1]), scalar(1)] },
    { op: "ConcatV2", inputs: [counting(dtype, [2, 40]), counting(dtype, [3, 40]), scalar(-2)] },
    { op: "Pack", inputs: [counting(dtype, [2, 3]), counting(dtype, [2, 3])], attrs: { axis: 1 } },
    { op: "Unpack", inputs: [counting(dtype, [2, 3])], attrs: { axis: -1, num: 3 } },
    { op: "Split", inputs: [scalar(1), counting(dtype, [2, 6])], attrs: { num_split: 3 } },
    { op: "SplitV", inputs: [counting(dtype, [6, 2]), ints(1, -1, 2), scalar(0)], attrs: { num_split: 3 } },
  ]),
  { op: "Concat", inputs: [scalar(0), counting("float32", [2]), counting("float32", [0])] },
  { op: "ConcatV2", inputs: [counting("float32", [2]), counting("float32", [2]), scalar(1)] },
  { op: "ConcatV2", inputs: [counting("float32", [2]), counting("float32", [2, 1]), scalar(0)] },
  { op: "ConcatV2", inputs: [counting("float32", [2, 2]), counting("float32", [2, 1]), scalar(0)] },
  { op: "ConcatV2", inputs: [counting("float32", []), counting("float32", []), scalar(0)] },
  { op: "ConcatV2", inputs: [counting("float32", [2]), counting("float32", [2]), ints(0)] },
  { op: "ConcatV2", inputs: [counting("float32", [2]), counting("float32", [2]), ints(0, 0)] },
  { op: "ConcatOffset", inputs: [scalar(1), ints(2, 3), ints(2, 5), ints(2, 1)] },
  { op: "ConcatOffset", inputs: [scalar(-1), ints(2, 3), ints(2, 5)] },
  { op: "ConcatOffset", inputs: [scalar(0), ints(2, 3), ints(2, 5)] },
  { op: "ConcatOffset", inputs: [scalar(3), ints(2, 3), ints(2, 5)] },
  { op: "Pack", inputs: [counting("float32", []), counting("float32", [])] },
  { op: "Pack", inputs: [counting("float32", [])], attrs: { axis: -1 } },
  { op: "Pack", inputs: [counting("float32", [2]), counting("float32", [3])] },
  { op: "Pack", inputs: [counting("float32", [2])], attrs: { axis: 2 } },
  { op: "Unpack", inputs: [counting("float32", [2, 3])], attrs: { axis: 0, num: 3 } },
  { op: "Unpack", inputs: [counting("float32", [0, 3])], attrs: { axis: 0, num: 0 } },
  { op: "Unpack", inputs: [counting("float32", [1, 3])], attrs: { axis: 0, num: 1 } },
  { op: "Unpack", inputs: [counting("float32", [2, 0])], attrs: { axis: 0, num: 2 } },
  { op: "Unpack", inputs: [counting("float32", [2, 3])], attrs: { axis: 2, num: 3 } },
  { op: "Split", inputs: [scalar(1), counting("float32", [2, 3])], attrs: { num_split: 2 } },
  { op: "Split", inputs: [scalar(2), counting("float32", [2, 3])], attrs: { num_split: 1 } },
  { op: "Split", inputs: [scalar(-1), counting("float32", [2, 0])], attrs: { num_split: 2 } },
  { op: "SplitV", inputs: [counting("float32", [5]), longs(2, 2), scalar(0)], attrs: { num_split: 2 } },
  { op: "SplitV", inputs: [counting("float32", [5]), longs(6, -1), scalar(0)], attrs: { num_split: 2 } },
  { op: "SplitV", inputs: [counting("float32", [5]), longs(-1, -1), scalar(0)], attrs: { num_split: 2 } },
  { op: "SplitV", inputs: [counting("float32", [5]), longs(7, -2), scalar(0)], attrs: { num_split: 2 } },
];

test.skipIf(peerMissing("tensorflow"))("shapes and joins are as in TensorFlow", async () => {
  expect(await compareWithTensorflow([...shapeCases, ...joinCases])).toEqual([]);
});

test("tensors that are too large are refused before they are allocated", () => {
  for (const [sizes, code] of [
    [[2 ** 20, 2 ** 18], "RESOURCE_EXHAUSTED"],
    [[2 ** 40, 2 ** 40], "INVALID_ARGUMENT"],
    [[-1, 2], "INVALID_ARGUMENT"],
  ] as const) {
    expect(runCase({ op: "Fill", inputs: [longs(...sizes), counting("float32", [])] })).toMatchObject({
      code,
    });
  }
});

test("Reshape does not copy", () => {
  const input = counting("float32", [2, 3]);
  const outcome = runCase({ op: "Reshape", inputs: [input, ints(-1)] });
  expect("outputs" in outcome && outcome.outputs[0]?.data).toBe(input.data);
});
