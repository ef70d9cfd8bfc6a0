import type { KernelNode } from "../kernels/kernel-node.js";
import { type WindowDimension, windowDimension } from "../kernels/nn/windows.js";
import { int, ints } from "../onnx/attributes.js";
import { limited } from "./dtypes.js";
import { accepted } from "./fits.js";
import type { Lowering } from "./lowering.js";
import { inputAt, scalarTensor, Writer } from "./writer.js";

const ATTRIBUTES = ["ksizes", "strides", "rates"] as const;

/** Whether the windows move over rows and columns alone. */
function isOverImages(node: KernelNode): boolean {
  return ATTRIBUTES.every((name) => {
    const sizes = node.ints(name);
    return sizes.length === 4 && sizes[0] === 1 && sizes[3] === 1 && sizes.every((size) => size >= 1);
  });
}

/** The pixel under each pixel of each window along one side; that after the last one for those in the padding. */
function pixelsUnder({ input, window, stride, dilation, padding, output }: WindowDimension): number[] {
  return Array.from({ length: output * window }, (_, i) => {
    const pixel = Math.floor(i / window) * stride + (i % window) * dilation - padding;
    return pixel >= 0 && pixel < input ? pixel : input;
  });
}

/** The pixels under a window that moves over images, as channels: gathered by rows, then by columns. */
export const patchLowerings: readonly Lowering[] = [
  {
    op: "ExtractImagePatches",
    types: { T: limited },
    fits: isOverImages,
    lower: (node, inputs, context) => {
      const images = inputAt(inputs, 0);
      const shape = context.shape(images);
      if (shape?.length !== 4 || shape.includes(0)) return undefined;
      const [ksizes, strides, rates] = ATTRIBUTES.map((name) => node.ints(name));
      const dimensions = [1, 2].map((axis) =>
        accepted(() =>
          windowDimension({
            input: shape[axis] ?? 0,
            window: ksizes?.[axis] ?? 1,
            stride: strides?.[axis] ?? 1,
            dilation: rates?.[axis] ?? 1,
            scheme: node.string("padding"),
          }),
        ),
      );
      const [rows, columns] = dimensions;
      if (rows === undefined || columns === undefined || rows.output * columns.output <= 0) return undefined;
      const write = new Writer(context);
      const zero = context.model.constant(scalarTensor(images.dtype, 0));
      const wide = write.same("Pad", [images, write.longs([0, 0, 0, 0, 0, 1, 1, 0]), zero]);
      const lines = write.same("Gather", [wide, write.longs(pixelsUnder(rows))], { axis: int(1) });
      const pixels = write.same("Gather", [lines, write.longs(pixelsUnder(columns))], { axis: int(2) });
      const [batch = 0, , , channels = 0] = shape;
      const apart = [batch, rows.output, rows.window, columns.output, columns.window, channels];
      const turned = write.same("Transpose", [write.reshape(pixels, write.longs(apart))], {
        perm: ints([0, 1, 3, 2, 4, 5]),
      });
      const depth = rows.window * columns.window * channels;
      return [write.reshape(turned, write.longs([batch, rows.output, columns.output, depth]))];
    },
  },
];
