import { expect, test } from "vitest";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { compareWithTensorflow, type OpCase } from "../against-tensorflow.js";
import { counting, edgeValues, numberDTypes } from "../case-values.js";

const ints = (...values: number[]) => Tensor.of(values, "int32", [values.length]);
const longs = (...values: number[]) => Tensor.of(values, "int64", [values.length]);
const scalar = (value: number) => Tensor.of(value, "int32");
const castable = [...numberDTypes, "bool", "complex64", "complex128"] as const;

const reductionCases: OpCase[] = ["Sum", "Prod", "Mean", "Max", "Min", "EuclideanNorm"].flatMap((op) => [
  ...numberDTypes.flatMap((dtype): OpCase[] => [
    { op, inputs: [counting(dtype, [2, 3, 4]), ints(1)], ulps: 8 },
    { op, inputs: [counting(dtype, [2, 3, 4]), ints(0, -1)], attrs: { keep_dims: true }, ulps: 8 },
    { op, inputs: [counting(dtype, [5]), scalar(0)], ulps: 8 },
    { op, inputs: [counting(dtype, []), ints()] },
  ]),
  ...(["float32", "int32", "int64", "float64"] as const).flatMap((dtype): OpCase[] => [
    { op, inputs: [counting(dtype, [2, 3]), ints()] },
    { op, inputs: [counting(dtype, [2, 3]), longs(1, 0)] },
    { op, inputs: [counting(dtype, [2, 3]), ints(2)] },
    { op, inputs: [counting(dtype, [2, 3]), ints(0, -2)] },
    { op, inputs: [counting(dtype, [0, 3]), ints(1)] },
    // TensorFlow divides by the number of integers, which ends the process where there are none.
    ...(op === "Mean" && dtype.startsWith("int") ? [] : [{ op, inputs: [counting(dtype, [0, 3]), ints(0)] }]),
    { op, inputs: [counting(dtype, [2, 1, 2, 1, 2, 3, 1, 2]), ints(1, 2, 4, 7)] },
  ]),
  { op, inputs: [Tensor.of([1, NaN, 2, 3], "float32"), ints(0)] },
  { op, inputs: [Tensor.of([NaN, NaN], "float64"), ints(0)] },
  { op, inputs: [Tensor.of([-Infinity, Infinity, 1], "float32"), ints(0)] },
  { op, inputs: [Tensor.of([2147483647, 2147483647, 3], "int32"), ints(0)] },
  { op, inputs: [Tensor.of([100, 100, 3], "int8"), ints(0)] },
  { op, inputs: [Tensor.of([200, 100, 3], "uint8"), ints(0)] },
]);
for (const op of ["Sum", "Mean"]) {
  for (const dtype of ["complex64", "complex128"] as const) {
    reductionCases.push({ op, inputs: [counting(dtype, [2, 3]), ints(0)] });
    reductionCases.push({ op, inputs: [counting(dtype, [2, 3]), ints(0, 1)] });
  }
}
for (const op of ["All", "Any"]) {
  reductionCases.push(
    { op, inputs: [counting("bool", [3, 4]), ints(1)] },
    { op, inputs: [counting("bool", [3, 4]), ints(0, 1)], attrs: { keep_dims: true } },
    { op, inputs: [counting("bool", [0]), ints(0)] },
    { op, inputs: [counting("bool", [3]), ints(1)] },
  );
}

const castCases: OpCase[] = castable.flatMap((from) =>
  castable.flatMap((to): OpCase[] => {
    const isInt = to.includes("int");
    const values = edgeValues(from).filter(
      (value) =>
        // Results that C++ leaves undefined differ even between TensorFlow's own vector and scalar code.
        !isInt ||
        typeof value !== "number" ||
        (Number.isFinite(value) && (value >= 0 || !to.startsWith("uint"))),
    );
    return [{ op: "Cast", inputs: [Tensor.of(values, from)], attrs: { DstT: to }, ulps: 1 }];
  }),
);
castCases.push(
  { op: "Cast", inputs: [Tensor.of([NaN, 1e30, -1e30, 3e9], "float32")], attrs: { DstT: "int32" } },
  { op: "Cast", inputs: [Tensor.of([NaN, 1e30, -1e30, 3e9], "float64")], attrs: { DstT: "int64" } },
  { op: "Cast", inputs: [Tensor.of([300, -300, 129.5], "float32")], attrs: { DstT: "int8" } },
  { op: "Cast", inputs: [counting("float32", [0, 2])], attrs: { DstT: "int8" } },
  { op: "Bitcast", inputs: [counting("float32", [2])], attrs: { type: "int32" } },
  { op: "Bitcast", inputs: [counting("float32", [2])], attrs: { type: "uint8" } },
  { op: "Bitcast", inputs: [counting("uint8", [3, 4])], attrs: { type: "float32" } },
  { op: "Bitcast", inputs: [counting("uint8", [3, 3])], attrs: { type: "float32" } },
  { op: "Bitcast", inputs: [counting("int64", [2])], attrs: { type: "float64" } },
);

const bools = (...values: boolean[]) => Tensor.of(values, "bool");
const selectCases: OpCase[] = [
  ...(["float32", "int64", "string", "bool", "int8", "float16", "complex64"] as const).flatMap(
    (dtype): OpCase[] => {
      const other = Tensor.of(counting(dtype, [2, 3]).toArray(), dtype);
      return [
        { op: "Select", inputs: [bools(true, false), counting(dtype, [2, 3]), other] },
        { op: "Select", inputs: [counting("bool", [2, 3]), counting(dtype, [2, 3]), other] },
        { op: "Select", inputs: [Tensor.of(false), counting(dtype, [2, 3]), other] },
        { op: "SelectV2", inputs: [bools(true, false, true), counting(dtype, [2, 1]), other] },
        { op: "SelectV2", inputs: [Tensor.of(true), counting(dtype, []), other] },
        { op: "Where", inputs: [counting(dtype, [2, 3])] },
      ];
    },
  ),
  { op: "Select", inputs: [bools(true), counting("float32", [2]), counting("float32", [2])] },
  { op: "Select", inputs: [bools(true), counting("float32", [2]), counting("float32", [3])] },
  { op: "SelectV2", inputs: [bools(true, false), counting("float32", [3]), counting("float32", [3])] },
  { op: "Where", inputs: [Tensor.of([0, NaN, -0, 2], "float32")] },
  { op: "Where", inputs: [counting("bool", [])] },
  { op: "Where", inputs: [counting("bool", [0, 2])] },
  ...numberDTypes.flatMap((dtype): OpCase[] => [
    { op: "AddN", inputs: [counting(dtype, [3]), counting(dtype, [3]), counting(dtype, [3])] },
    { op: "ClipByValue", inputs: [counting(dtype, [7]), Tensor.of(2, dtype), Tensor.of(3, dtype)] },
  ]),
  { op: "ClipByValue", inputs: [Tensor.of([NaN, 1, 5]), Tensor.of([2, 2, 2]), Tensor.of(3)] },
  { op: "ClipByValue", inputs: [Tensor.of([NaN, 1, 5]), Tensor.of([2, 2]), Tensor.of(3)] },
  { op: "AddN", inputs: [counting("float32", [3]), counting("float32", [2])] },
  { op: "AddN", inputs: [counting("complex64", [3]), counting("complex64", [3])] },
  {
    op: "AccumulateNV2",
    inputs: [counting("float32", [3]), counting("float32", [3])],
    attrs: { shape: [3] },
  },
  ...(["complex64", "complex128"] as const).flatMap((dtype): OpCase[] => [
    ...["Neg", "Square", "Exp", "Conj"].map((op) => ({ op, inputs: [counting(dtype, [3])] })),
    ...["Real", "Imag", "ComplexAbs", "Angle"].map((op) => ({
      op,
      inputs: [counting(dtype, [3])],
      attrs: { Tout: dtype === "complex64" ? ("float32" as const) : ("float64" as const) },
    })),
  ]),
  {
    op: "Complex",
    inputs: [counting("float32", [3]), counting("float32", [])],
    attrs: { Tout: "complex64" },
  },
];

test.skipIf(peerMissing("tensorflow"))("reductions, casts and choices are as in TensorFlow", async () => {
  expect(await compareWithTensorflow([...reductionCases, ...castCases, ...selectCases])).toEqual([]);
});
