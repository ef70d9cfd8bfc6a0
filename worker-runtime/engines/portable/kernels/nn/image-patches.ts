import { invalidArgument, unimplemented } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { allocate } from "../support/allocation.js";
import { perElement, pureKernel } from "../support/define.js";
import { numberTypes } from "../support/dtypes.js";
import { inputAt } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { copyElements, wordsOf } from "../support/strided-copy.js";
import { imagePixel, type WindowDimension, windowDimension } from "./windows.js";

/** Sizes along rows and columns. @throws TensorFlowError for an attribute that moves over batches or channels. */
function alongImage(what: string, sizes: readonly number[]): readonly [number, number] {
  const [batch, rows = 1, columns = 1, channels] = sizes;
  if (sizes.length !== 4) {
    throw invalidArgument(`Sliding window ${what} field must specify 4 dimensions`);
  }
  if (batch !== 1 || channels !== 1) {
    throw unimplemented("Only support ksizes across space.");
  }
  if (rows < 1 || columns < 1) {
    throw invalidArgument(`${what} must be positive: ${cppShapeText(sizes)}`);
  }
  return [rows, columns];
}

/** Copies the pixels under each window into the channels of its position; 0 in the padding. */
function extract(images: Tensor, rows: WindowDimension, columns: WindowDimension): Tensor {
  const [batch = 0, height = 0, width = 0, channels = 0] = images.shape;
  const depth = rows.window * columns.window * channels;
  const shape = [batch, rows.output, columns.output, depth];
  const data = allocate(images.dtype, shape);
  const [to, from] = [wordsOf(images.dtype, data), wordsOf(images.dtype, images.data)];
  const positions = rows.output * columns.output;
  for (let position = 0; position < batch * positions; position += 1) {
    const image = Math.floor(position / positions) * height;
    const [y, x] = [Math.floor((position % positions) / columns.output), position % columns.output];
    for (let i = 0; i < rows.window; i += 1) {
      const row = imagePixel(rows, y, i);
      for (let j = 0; j < columns.window && row >= 0 && row < height; j += 1) {
        const column = imagePixel(columns, x, j);
        if (column >= 0 && column < width) {
          const target = position * depth + (i * columns.window + j) * channels;
          copyElements(to, target, from, ((image + row) * width + column) * channels, channels);
        }
      }
    }
  }
  return new Tensor(images.dtype, shape, data);
}

/**
 * How a node's window moves over rows and columns of images of a shape.
 * @throws TensorFlowError for attributes and, from the result, for shapes that the op rejects.
 */
export function patchWindows(
  node: KernelNode,
): (shape: readonly number[]) => readonly [rows: WindowDimension, columns: WindowDimension] {
  const windows = alongImage("ksizes", node.ints("ksizes"));
  const strides = alongImage("strides", node.ints("strides"));
  const rates = alongImage("rates", node.ints("rates"));
  const scheme = node.string("padding");
  return (shape) => {
    if (shape.length !== 4) {
      throw invalidArgument(`input must be 4-dimensional${cppShapeText(shape)}`);
    }
    const along = (axis: 0 | 1) =>
      windowDimension({
        input: shape[axis + 1] ?? 0,
        window: windows[axis],
        stride: strides[axis],
        dilation: rates[axis],
        scheme,
      });
    return [along(0), along(1)];
  };
}

/** The pixels under a window that moves over images, as channels of the position where the window is. */
export const imagePatchesKernel: PureKernelDefinition = pureKernel(
  "ExtractImagePatches",
  (node) => {
    const windowsOver = patchWindows(node);
    return (inputs) => {
      const images = inputAt(inputs, 0);
      const [rows, columns] = windowsOver(images.shape);
      return [extract(images, rows, columns)];
    };
  },
  {
    types: { T: numberTypes },
    // As if no pixel were skipped.
    cost: (node, inputs) => {
      const [, rows = 1, columns = 1] = node.ints("ksizes");
      return perElement(5 * rows * columns)(node, inputs);
    },
  },
);
