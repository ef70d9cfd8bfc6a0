import { describe, expect, test } from "vitest";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { compareWithTensorflow, type OpCase } from "../against-tensorflow.js";
import { edgePairs, edgeValues, numberDTypes } from "../case-values.js";

const exact = [
  "Neg",
  "Abs",
  "Sign",
  "Square",
  "Floor",
  "Ceil",
  "Round",
  "Rint",
  "Reciprocal",
  "Inv",
  "Invert",
];
const functions =
  "Sqrt Rsqrt Exp Expm1 Log Log1p Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh Sigmoid Softplus Softsign Erf Erfc Erfinv Ndtri Lgamma Digamma".split(
    " ",
  );
const tests = ["IsNan", "IsInf", "IsFinite"];
const gradients =
  "TanhGrad SigmoidGrad SqrtGrad RsqrtGrad ReciprocalGrad InvGrad SoftplusGrad SoftsignGrad".split(" ");

/** Points where functions are smooth, besides the edges. */
const points = Array.from({ length: 61 }, (_, i) => (i - 30) / 7);
const unitPoints = Array.from({ length: 39 }, (_, i) => (i - 19) / 20);

describe.skipIf(peerMissing("tensorflow"))("unary ops against TensorFlow", () => {
  test("edge values and points of every dtype", async () => {
    const cases: OpCase[] = [...exact, ...functions, ...tests].flatMap((op) =>
      numberDTypes.flatMap((dtype): OpCase[] => {
        const isFloat = !dtype.includes("int");
        if (!isFloat && op === "Round") {
          // TensorFlow 2.21 rounds every whole number to 0.
          return [];
        }
        // TensorFlow divides by an integer 0, which ends the process.
        const values = edgeValues(dtype).filter(
          (value) =>
            (isFloat || !/^(Reciprocal|Inv)$/.test(op) || value) &&
            // Its erf of a float64 infinity is NaN.
            !(op === "Erf" && Math.abs(Number(value)) === Infinity),
        );
        // Its float32 functions are approximations of some units in the last place.
        const ulps = exact.includes(op) ? 1 : dtype === "float64" ? 64 : 16;
        const absolute = exact.includes(op) ? 0 : dtype === "float64" ? 1e-15 : 3e-7;
        const edges = { op, inputs: [Tensor.of(values, dtype)], ulps, absolute };
        return isFloat
          ? [
              edges,
              { op, inputs: [Tensor.of(points, dtype)], ulps, absolute },
              { op, inputs: [Tensor.of(unitPoints, dtype)], ulps, absolute },
            ]
          : [edges];
      }),
    );
    cases.push({ op: "LogicalNot", inputs: [Tensor.of([true, false])] });
    for (const op of gradients) {
      for (const dtype of ["float32", "float64", "float16", "bfloat16"] as const) {
        cases.push({ op, inputs: edgePairs(dtype), ulps: dtype === "float16" ? 32 : 8, absolute: 1e-7 });
      }
    }
    expect(await compareWithTensorflow(cases)).toEqual([]);
  });
});
