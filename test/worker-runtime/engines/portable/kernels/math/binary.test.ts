import { expect, test } from "vitest";
import type { DType } from "../../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { compareWithTensorflow, type OpCase } from "../against-tensorflow.js";
import { counting, edgePairs, numberDTypes } from "../case-values.js";

const arithmetic = ["Add", "AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference"];
const floatOnly = ["MulNoNan", "RealDiv", "DivNoNan", "Atan2", "Xdivy", "Xlogy", "Xlog1py", "NextAfter"];
const divisions = ["Div", "FloorDiv", "FloorMod", "Mod", "TruncateDiv", "TruncateMod"];
const comparisons = ["Less", "LessEqual", "Greater", "GreaterEqual", "Equal", "NotEqual", "ApproximateEqual"];
const bitwise = ["BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift"];
const all = [...arithmetic, ...floatOnly, ...divisions, ...comparisons, ...bitwise, "Pow"];

/** Pairs without those whose result C++ leaves undefined or that are errors. */
function definedPairs(op: string, dtype: DType): [Tensor, Tensor] {
  const [x, y] = edgePairs(dtype);
  const isInt = dtype.includes("int");
  const keep = (i: number) => {
    const divisor = Number(y.at(i));
    if (isInt && divisions.includes(op)) {
      return divisor > 0 || (divisor < -1 && dtype !== "int64" && dtype !== "int32") || divisor === -7;
    }
    return !(isInt && op === "Pow") || (divisor >= 0 && divisor < 8);
  };
  const kept = Array.from({ length: x.size }, (_, i) => i).filter(keep);
  const pick = (tensor: Tensor) =>
    Tensor.of(
      kept.map((i) => tensor.at(i)),
      dtype,
    );
  return [pick(x), pick(y)];
}

const ulps: Record<string, number> = { SquaredDifference: 4, Pow: 8, Xlogy: 8, Xlog1py: 8, Atan2: 8 };

const shapePairs: [number[], number[]][] = [
  [[], []],
  [[0], [0]],
  [[3], []],
  [[], [2, 3]],
  [[0], [1]],
  [
    [2, 1],
    [1, 3],
  ],
  [[2, 3, 1], [4]],
  [
    [2, 1, 2, 1, 3, 1, 2, 1],
    [1, 2, 1, 2, 1, 2, 2, 3],
  ],
  [[2, 0, 3], [3]],
  [
    [2, 2, 3],
    [2, 1, 3],
  ],
];

/** Edge values of every dtype. */
function valueCases(): OpCase[] {
  const cases: OpCase[] = all.flatMap((op) =>
    numberDTypes.map((dtype) => ({ op, inputs: definedPairs(op, dtype), ulps: ulps[op] ?? 1 })),
  );
  for (const op of ["Equal", "NotEqual"]) {
    for (const dtype of ["bool", "string", "complex64", "complex128"] as const) {
      cases.push({ op, inputs: edgePairs(dtype) });
    }
  }
  cases.push({ op: "Add", inputs: edgePairs("string") });
  for (const op of ["Add", "Sub", "Mul", "RealDiv"]) {
    cases.push({ op, inputs: [counting("complex64", [3]), counting("complex64", [2, 1])] });
  }
  for (const op of ["LogicalAnd", "LogicalOr"]) {
    cases.push({ op, inputs: edgePairs("bool") });
  }
  return cases;
}

/** Shapes, and errors of shapes and values. */
function shapeAndErrorCases(): OpCase[] {
  const cases: OpCase[] = shapePairs.flatMap(([x, y]) => [
    ...["Add", "Mul", "FloorDiv", "Less", "Maximum"].flatMap((op) =>
      (["float32", "int32", "int64", "float64"] as const).map((dtype) => ({
        op,
        inputs: [counting(dtype, x), counting(dtype, y)],
      })),
    ),
    { op: "Equal", inputs: [counting("string", x), counting("string", y)] },
  ]);
  for (const op of ["Add", "Less", "Equal", "FloorMod", "Pow", "DivNoNan"]) {
    cases.push({ op, inputs: [counting("float32", [2]), counting("float32", [3])] });
    cases.push({ op, inputs: [counting("float32", [2, 2]), counting("float32", [0, 2])] });
  }
  cases.push({
    op: "Equal",
    inputs: [counting("float32", [2]), counting("float32", [3])],
    attrs: { incompatible_shape_error: false },
  });
  for (const dtype of ["int8", "int32", "int64", "uint8"] as const) {
    for (const op of ["FloorDiv", "FloorMod", "TruncateDiv", "TruncateMod", "Div"]) {
      cases.push({ op, inputs: [Tensor.of([1, 2], dtype), Tensor.of([1, 0], dtype)] });
    }
  }
  cases.push({ op: "Pow", inputs: [Tensor.of([2, 2], "int32"), Tensor.of([1, -1], "int32")] });
  cases.push({ op: "Pow", inputs: [Tensor.of([2, 2], "int64"), Tensor.of([1, -1], "int64")] });
  return cases;
}

test.skipIf(peerMissing("tensorflow"))("binary ops are as in TensorFlow", async () => {
  expect(await compareWithTensorflow([...valueCases(), ...shapeAndErrorCases()])).toEqual([]);
});
