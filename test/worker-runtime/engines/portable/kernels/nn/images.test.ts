import { describe, expect, test } from "vitest";
import type { DType } from "../../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { compareWithTensorflow, type OpCase, runCase } from "../against-tensorflow.js";

/** A tensor of values that look random, the same in each run. */
function scattered(shape: readonly number[], dtype: DType = "float32", seed = 0): Tensor {
  const size = shape.reduce((product, dim) => product * dim, 1);
  return Tensor.of(
    Array.from({ length: size }, (_, i) => Math.sin((i + seed) * 12.9898) * 3),
    dtype,
    shape,
  );
}

const tolerance = { ulps: 64, absolute: 1e-4 };

describe.skipIf(peerMissing("tensorflow"))("pooling and normalization against TensorFlow", () => {
  test("MaxPool, AvgPool and their gradients: layouts, paddings, strides, sizes, dtypes", async () => {
    const cases: OpCase[] = [];
    for (const padding of ["SAME", "VALID"]) {
      for (const [down, right] of [
        [1, 1],
        [2, 2],
        [2, 1],
      ] as const) {
        for (const size of [1, 2, 3]) {
          for (const data_format of ["NHWC", "NCHW"]) {
            const first = data_format === "NCHW";
            const order = (n: number, h: number, w: number, c: number) =>
              first ? [n, c, h, w] : [n, h, w, c];
            const attrs = {
              padding,
              data_format,
              strides: order(1, down, right, 1),
              ksize: order(1, size, size, 1),
            };
            const images = scattered(order(2, 7, 8, 3));
            for (const op of ["MaxPool", "AvgPool"]) {
              cases.push({ op, inputs: [images], attrs, ...tolerance });
            }
            const pooled = runCase({ op: "MaxPool", inputs: [images], attrs });
            const [result] = "outputs" in pooled ? pooled.outputs : [];
            if (result !== undefined) {
              const gradient = scattered(result.shape, "float32", 5);
              if (!first) {
                // TensorFlow has no kernel for NCHW on a processor.
                cases.push({ op: "MaxPoolGrad", inputs: [images, result, gradient], attrs, ...tolerance });
              }
              cases.push({
                op: "AvgPoolGrad",
                inputs: [Tensor.of([...images.shape], "int32"), gradient],
                attrs,
                ...tolerance,
              });
            }
          }
        }
      }
    }
    const attrs = { padding: "SAME", strides: [1, 1, 1, 1], ksize: [1, 2, 2, 1] };
    for (const dtype of ["float64", "float16", "bfloat16"] as const) {
      for (const op of ["MaxPool", "AvgPool"]) {
        cases.push({ op, inputs: [scattered([1, 4, 4, 2], dtype)], attrs, ulps: 4, atLargest: true });
      }
    }
    cases.push({ op: "MaxPool", inputs: [scattered([0, 4, 4, 2])], attrs });
    // The first of equal pixels is the largest.
    const equal = Tensor.of(Array(16).fill(1), "float32", [1, 4, 4, 1]);
    cases.push({ op: "MaxPoolGrad", inputs: [equal, equal, scattered([1, 4, 4, 1])], attrs, ...tolerance });
    expect(await compareWithTensorflow(cases)).toEqual([]);
  });

  test("FusedBatchNorm and its gradient: versions, layouts, training and not, running averages", async () => {
    const cases: OpCase[] = [];
    const positive = Tensor.of([1, 2, 0.5]);
    const channel = (seed: number) => scattered([3], "float32", seed);
    const none = Tensor.of([], "float32", [0]);
    for (const version of ["", "V2", "V3"]) {
      for (const data_format of ["NHWC", "NCHW"]) {
        const images = scattered(data_format === "NHWC" ? [2, 4, 5, 3] : [2, 3, 4, 5]);
        const gradients = scattered(images.shape, "float32", 9);
        const op = `FusedBatchNorm${version}`;
        for (const is_training of [false, true]) {
          const attrs = { is_training, data_format, epsilon: 0.001 };
          cases.push({
            op,
            inputs: [
              images,
              channel(1),
              channel(2),
              ...(is_training ? [none, none] : [channel(3), positive]),
            ],
            attrs,
            ...tolerance,
          });
          cases.push({
            op: `FusedBatchNormGrad${version}`,
            inputs: [
              gradients,
              images,
              channel(1),
              channel(3),
              positive,
              ...(version === "V3" ? [none] : []),
            ],
            attrs,
            ulps: 64,
            absolute: 1e-3,
          });
        }
        cases.push({
          op,
          inputs: [images, channel(1), channel(2), channel(3), positive],
          attrs: { is_training: true, data_format, exponential_avg_factor: 0.25 },
          ...tolerance,
        });
      }
    }
    cases.push({
      op: "FusedBatchNormV3",
      inputs: [scattered([2, 4, 5, 3]), scattered([2]), channel(2), channel(3), positive],
      attrs: { is_training: false },
    });
    const four = (seed: number) => scattered([4], "float32", seed);
    cases.push({
      op: "_FusedBatchNormEx",
      inputs: [scattered([2, 4, 5, 4]), four(1), four(2), four(3), Tensor.of([1, 2, 3, 0.5])],
      attrs: { is_training: false, activation_mode: "Relu" },
      ...tolerance,
    });
    expect(await compareWithTensorflow(cases)).toEqual([]);
  });
});
