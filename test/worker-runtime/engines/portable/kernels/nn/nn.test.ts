import { describe, expect, test } from "vitest";
import type { DType } from "../../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { compareWithTensorflow, type OpCase } from "../against-tensorflow.js";
import { counting, edgePairs, edgeValues, floatDTypes, numberDTypes } from "../case-values.js";

const isInteger = (dtype: DType) => dtype.includes("int");

/** Sums of small floats are rounded in an order of TensorFlow's own. */
function toleranceOf(dtype: DType) {
  return dtype === "float16" || dtype === "bfloat16"
    ? { ulps: 4, atLargest: true }
    : { ulps: 16, atLargest: true };
}

describe.skipIf(peerMissing("tensorflow"))("neural-network ops against TensorFlow", () => {
  test("activations and their gradients: edge values of every dtype, shapes", async () => {
    const cases: OpCase[] = [];
    for (const dtype of numberDTypes) {
      const values = Tensor.of(edgeValues(dtype), dtype);
      if (dtype === "int64" || dtype === "uint64") {
        cases.push({ op: "Relu", inputs: [values] });
        continue;
      }
      const [gradients, features] = edgePairs(dtype);
      for (const op of isInteger(dtype) ? ["Relu", "Relu6"] : ["Relu", "Relu6", "Elu", "Selu", "LeakyRelu"]) {
        cases.push({ op, inputs: [values], ulps: 8 });
      }
      for (const op of isInteger(dtype)
        ? ["ReluGrad", "Relu6Grad"]
        : ["ReluGrad", "Relu6Grad", "EluGrad", "SeluGrad", "LeakyReluGrad"]) {
        cases.push({ op, inputs: [gradients, features], ulps: 8 });
      }
    }
    for (const shape of [[], [0], [2, 0, 3], [2, 3, 4]]) {
      const x = counting("float32", shape);
      cases.push({ op: "Relu", inputs: [x] }, { op: "ReluGrad", inputs: [x, x] });
    }
    const [a, b] = [counting("float32", [2]), counting("float32", [2, 1])];
    cases.push({ op: "ReluGrad", inputs: [a, b] }, { op: "EluGrad", inputs: [a, b] });
    cases.push({ op: "LeakyRelu", inputs: [counting("float32", [5])], attrs: { alpha: 2 } });
    expect(await compareWithTensorflow(cases)).toEqual([]);
  });

  test("Softmax and LogSoftmax: ranks, extreme logits, nothing", async () => {
    const cases: OpCase[] = [];
    for (const dtype of floatDTypes) {
      for (const op of ["Softmax", "LogSoftmax"]) {
        const rows = Tensor.of([1000, -1000, 0, 1, 2, 3, -5, -5, -5], dtype, [3, 3]);
        cases.push({ op, inputs: [rows], ...toleranceOf(dtype) });
        for (const shape of [[4], [2, 3], [2, 3, 4], [0, 3], [3, 0], [2, 1]]) {
          cases.push({ op, inputs: [counting(dtype, shape)], ...toleranceOf(dtype) });
        }
        cases.push({ op, inputs: [counting(dtype, [])], anyCode: true });
      }
    }
    expect(await compareWithTensorflow(cases)).toEqual([]);
  });

  test("SoftmaxCrossEntropyWithLogits: broadcasting, extreme logits, shapes that do not fit", async () => {
    const op = "SoftmaxCrossEntropyWithLogits";
    const cases: OpCase[] = [];
    for (const dtype of floatDTypes) {
      const logits = Tensor.of([1, 2, 3, 100, -100, 0], dtype, [2, 3]);
      const labels = Tensor.of([0, 0, 1, 0.25, 0.25, 0.5], dtype, [2, 3]);
      cases.push({ op, inputs: [logits, labels], ...toleranceOf(dtype) });
    }
    const shapes: [number[], number[]][] = [
      [
        [2, 3],
        [1, 3],
      ],
      [
        [1, 3],
        [2, 3],
      ],
      [
        [2, 1],
        [1, 3],
      ],
      [
        [0, 3],
        [0, 3],
      ],
      [
        [3, 0],
        [3, 0],
      ],
      [
        [1, 3],
        [1, 2],
      ],
      [[3], [3]],
      [
        [2, 3, 4],
        [2, 3, 4],
      ],
    ];
    for (const [features, labels] of shapes) {
      cases.push({
        op,
        inputs: [counting("float32", features), counting("float32", labels)],
        ...toleranceOf("float32"),
      });
    }
    const infinite = Tensor.of([Infinity, 1, 2, -Infinity, 1, 2, Number.NaN, 1, 2], "float64", [3, 3]);
    cases.push({ op, inputs: [infinite, counting("float64", [3, 3])], ...toleranceOf("float64") });
    expect(await compareWithTensorflow(cases)).toEqual([]);
  });

  test("SparseSoftmaxCrossEntropyWithLogits: both label types, labels out of range, shapes", async () => {
    const op = "SparseSoftmaxCrossEntropyWithLogits";
    const cases: OpCase[] = [];
    const labels = (values: number[], dtype: DType = "int32", shape = [values.length]) =>
      Tensor.of(dtype === "int64" ? values.map(BigInt) : values, dtype, shape);
    for (const dtype of floatDTypes) {
      const logits = Tensor.of([1, 2, 3, 100, -100, 0], dtype, [2, 3]);
      for (const labelType of ["int32", "int64"] as const) {
        cases.push({ op, inputs: [logits, labels([2, 0], labelType)], ...toleranceOf(dtype) });
        cases.push({ op, inputs: [logits, labels([2, 3], labelType)] });
        cases.push({ op, inputs: [logits, labels([-1, 1], labelType)] });
      }
    }
    const x = (...shape: number[]) => counting("float32", shape);
    cases.push(
      { op, inputs: [x(1, 3), labels([1, 1])] },
      { op, inputs: [x(3), labels([1])] },
      { op, inputs: [x(1, 3), labels([1], "int32", [1, 1])] },
      { op, inputs: [x(1, 2, 3), labels([1])] },
      { op, inputs: [x(0, 3), labels([])] },
      { op, inputs: [x(1, 0), labels([0])] },
      { op, inputs: [x(0, 0), labels([])] },
    );
    const infinite = Tensor.of([Infinity, 1, 2, -Infinity, 1, 2, -Infinity, 1, 2], "float32", [3, 3]);
    cases.push({ op, inputs: [infinite, labels([0, 0, 1])], ...toleranceOf("float32") });
    expect(await compareWithTensorflow(cases)).toEqual([]);
  });

  test("BiasAdd, BiasAddV1, BiasAddGrad and L2Loss: dtypes, layouts, shapes that do not fit", async () => {
    const cases: OpCase[] = [];
    for (const dtype of numberDTypes) {
      const value = counting(dtype, [2, 3, 4, 3]);
      const bias = counting(dtype, [3]);
      for (const data_format of ["NHWC", "NCHW"]) {
        cases.push({ op: "BiasAdd", inputs: [value, bias], attrs: { data_format } });
        cases.push({ op: "BiasAddGrad", inputs: [value], attrs: { data_format }, absolute: 0.01 });
      }
      cases.push({ op: "BiasAddV1", inputs: [value, bias] });
      cases.push({ op: "L2Loss", inputs: [value], absolute: 0.01 });
    }
    const x = (...shape: number[]) => counting("float32", shape);
    for (const data_format of ["NHWC", "NCHW"]) {
      for (const shape of [[4, 3], [2, 3, 3], [1, 3, 2, 2, 3], [0, 3], [3], [2, 4], [2, 4, 4]]) {
        cases.push({ op: "BiasAdd", inputs: [x(...shape), x(3)], attrs: { data_format } });
        cases.push({ op: "BiasAddGrad", inputs: [x(...shape)], attrs: { data_format } });
      }
    }
    cases.push({ op: "BiasAdd", inputs: [x(2, 3), x(1, 3)] }, { op: "L2Loss", inputs: [x(0)] });
    expect(await compareWithTensorflow(cases)).toEqual([]);
  });
});
