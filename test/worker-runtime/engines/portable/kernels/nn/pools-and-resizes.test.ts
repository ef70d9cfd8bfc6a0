import { describe, expect, test } from "vitest";
import { Tensor } from "../../../../../../worker-runtime/protocol/tensor.js";
import { peerMissing } from "../../../../../support/peers.js";
import { compareWithTensorflow, type OpCase, runCase } from "../against-tensorflow.js";

/** A float32 tensor of values that look random, the same in each run. */
function scattered(...shape: number[]): Tensor {
  const size = shape.reduce((product, dim) => product * dim, 1);
  return Tensor.of(
    Array.from({ length: size }, (_, i) => Math.sin(i * 12.9898) * 3),
    "float32",
    shape,
  );
}

const tolerance = { ulps: 64, absolute: 1e-4 };
const one = [1, 1, 1, 1];
const strideChoices = [one, [1, 2, 2, 1], [1, 2, 1, 1]];

describe.skipIf(peerMissing("tensorflow"))(
  "depthwise convolutions, pools, LRN and resizes against TensorFlow",
  () => {
    test("convolutions: paddings, strides, what does not fit", async () => {
      const cases: OpCase[] = [];
      for (const padding of ["SAME", "VALID"]) {
        for (const strides of strideChoices) {
          const attrs = { padding, strides };
          const image = scattered(2, 7, 8, 3);
          for (const multiplier of [1, 2]) {
            const filter = scattered(3, 2, 3, multiplier);
            if (strides[1] === strides[2]) {
              cases.push({ op: "DepthwiseConv2dNative", inputs: [image, filter], attrs, ...tolerance });
            }
          }
        }
      }
      cases.push({
        op: "DepthwiseConv2dNative",
        inputs: [scattered(1, 5, 5, 2), scattered(3, 3, 3, 2)],
        attrs: { padding: "SAME", strides: one },
      });
      expect(await compareWithTensorflow(cases)).toEqual([]);
    });

    test("pooling, LRN, images", async () => {
      const cases: OpCase[] = [];
      for (const padding of ["SAME", "VALID"]) {
        for (const strides of strideChoices) {
          for (const op of ["MaxPool", "AvgPool"]) {
            for (const size of [1, 2, 3]) {
              const attrs = { padding, strides, ksize: [1, size, size, 1] };
              cases.push({ op, inputs: [scattered(2, 7, 8, 3)], attrs, ...tolerance });
            }
          }
        }
        const cubes = { padding, strides: [1, 2, 2, 2, 1], ksize: [1, 2, 2, 2, 1] };
        cases.push({ op: "AvgPool3D", inputs: [scattered(1, 4, 5, 6, 2)], attrs: cubes, ...tolerance });
      }
      cases.push({
        op: "MaxPool",
        inputs: [scattered(0, 4, 4, 1)],
        attrs: { padding: "SAME", strides: one, ksize: [1, 2, 2, 1] },
      });
      cases.push({ op: "LRN", inputs: [scattered(1, 2, 2, 9)], ...tolerance });
      cases.push({
        op: "LRN",
        inputs: [scattered(1, 2, 2, 9)],
        attrs: { depth_radius: 2, bias: 2, alpha: 0.5, beta: 0.75 },
        ...tolerance,
      });
      for (const op of ["ResizeBilinear", "ResizeNearestNeighbor"]) {
        for (const [align_corners, half_pixel_centers] of [
          [false, false],
          [true, false],
          [false, true],
        ] as const) {
          for (const size of [
            [3, 9],
            [10, 10],
            [1, 1],
            [4, 5],
          ]) {
            cases.push({
              op,
              inputs: [scattered(2, 4, 5, 2), Tensor.of(size, "int32")],
              attrs: { align_corners, half_pixel_centers },
              ...tolerance,
            });
          }
        }
      }
      const boxes = Tensor.of([0, 0, 1, 1, 0.2, 0.1, 0.7, 0.9, -0.5, 0, 1.5, 1], "float32", [3, 4]);
      for (const boxIndex of [
        [0, 1, 1],
        [0, 2, 1],
        [0, -1, 1],
        [0, 1],
      ]) {
        cases.push({
          op: "CropAndResize",
          inputs: [scattered(2, 6, 6, 2), boxes, Tensor.of(boxIndex, "int32"), Tensor.of([4, 5], "int32")],
          attrs: { extrapolation_value: 2 },
          ...tolerance,
        });
      }
      for (const size of [[0, 4], [-1, 4], [4], [2, 2, 2]]) {
        cases.push({ op: "ResizeBilinear", inputs: [scattered(2, 4, 5, 2), Tensor.of(size, "int32")] });
      }
      cases.push({ op: "ResizeBilinear", inputs: [scattered(4, 5, 2), Tensor.of([2, 2], "int32")] });
      cases.push({ op: "LRN", inputs: [scattered(4, 5, 2)] });
      expect(await compareWithTensorflow(cases)).toEqual([]);
    });
  },
);

test("an output beyond the memory is refused", () => {
  const size = Tensor.of([1_000_000, 1_000_000], "int32");
  const outcome = runCase({ op: "ResizeBilinear", inputs: [scattered(1, 2, 2, 1), size] });
  expect(outcome).toMatchObject({ code: "RESOURCE_EXHAUSTED" });
});
