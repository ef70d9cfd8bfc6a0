import { patchWindows } from "../kernels/nn/image-patches.js";
import { imagePixel, type WindowDimension } from "../kernels/nn/windows.js";
import { int, ints } from "../onnx/attributes.js";
import { limited } from "./dtypes.js";
import { accepted, accepts } from "./fits.js";
import type { Lowering } from "./lowering.js";
import { inputAt, scalarTensor, Writer } from "./writer.js";

/** The pixel under each pixel of each window along one side; that after the last one for those in the padding. */
function pixelsUnder(side: WindowDimension): number[] {
  const { input, window, output } = side;
  return Array.from({ length: output * window }, (_, i) => {
    const pixel = imagePixel(side, Math.floor(i / window), i % window);
    return pixel >= 0 && pixel < input ? pixel : input;
  });
}

/** The pixels under a window that moves over images, as channels: gathered by rows, then by columns. */
export const patchLowerings: readonly Lowering[] = [
  {
    op: "ExtractImagePatches",
    types: { T: limited },
    fits: accepts(patchWindows),
    lower: (node, inputs, context) => {
      const images = inputAt(inputs, 0);
      const shape = context.shape(images);
      if (shape?.length !== 4 || shape.includes(0)) return undefined;
      const windows = accepted(() => patchWindows(node)(shape));
      if (windows === undefined) return undefined;
      const [rows, columns] = windows;
      if (rows.output * columns.output <= 0) return undefined;
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
