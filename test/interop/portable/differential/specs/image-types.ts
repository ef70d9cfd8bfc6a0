/** Images of other dtypes than float32 in other sizes. */
import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { integers, tensor } from "../arbitraries.js";
import { attr } from "../op-case.js";
import type { OpSpec } from "../op-spec.js";
import { boxes } from "./boxes.js";
import { boxIndices, resizeSpec } from "./images.js";

const otherTypes = [
  "float64",
  "uint8",
  "int8",
  "uint16",
  "int16",
  "int32",
  "int64",
] as const satisfies readonly DType[];

const methods = fc.record({
  method: fc.constantFrom("bilinear", "nearest").map(attr.text),
  extrapolation_value: fc.constantFrom(0, -2.5).map(attr.float),
});

/** Boxes that reach beyond their image, are turned over or are a line. */
const corners = Tensor.of([-0.25, 0, 1.25, 1, 1, 1, 0, 0, 0.5, 0.25, 0.5, 0.75], "float32", [3, 4]);

export const imageTypeSpecs: readonly OpSpec[] = [
  resizeSpec("ResizeBilinear", undefined, otherTypes),
  resizeSpec("ResizeNearestNeighbor", undefined, otherTypes),
  {
    op: "CropAndResize",
    types: { T: otherTypes },
    draw: ({ T = "uint8" }) =>
      fc
        .tuple(
          tensor(T, [2, 5, 4, 2]),
          fc.oneof(boxes(3), fc.constant(corners)),
          boxIndices,
          fc.constantFrom([3, 3], [1, 1], [5, 2], [2, 7]),
          methods,
        )
        .map(([images, boxes, index, size, attrs]) => ({
          inputs: [images, boxes, index, integers("int32", size)],
          attrs,
        })),
    edges: ({ T = "uint8" }) =>
      [
        { index: [0, 1, 2], size: [2, 2] },
        { index: [0, 1], size: [2, 2] },
        { index: [0, 1, 1], size: [0, 2] },
        { index: [0, 1, 1], size: [2] },
      ].map(({ index, size }) => ({
        inputs: [Tensor.of(1, T, [2, 3, 3, 1]), corners, integers("int32", index), integers("int32", size)],
      })),
    tolerance: { ulps: 16, scale: "largest" },
  },
];
