import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { PureKernelDefinition } from "../kernel.js";
import type { KernelNode } from "../kernel-node.js";
import { pureKernel, withSmallFloats } from "../support/define.js";
import { allFloatTypes, indexTypes, shortIntTypes } from "../support/dtypes.js";
import { indicesOf, inputAt, integerTensor, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText, productOf, sameShape } from "../support/shapes.js";
import { imagePixel, type WindowDimension, windowDimension } from "./windows.js";

export interface ArgmaxPooling {
  readonly windows: readonly [number, number];
  readonly strides: readonly [number, number];
  readonly scheme: string;
  /** Whether indices are relative to the whole batch instead of to their own image. */
  readonly countsBatch: boolean;
}

/** Sizes along rows and columns. @throws TensorFlowError INVALID_ARGUMENT for pools over batches or channels. */
function alongImage(what: string, sizes: readonly number[]): readonly [number, number] {
  const [batch, rows = 0, columns = 0, channels] = sizes;
  if (sizes.length !== 4 || batch !== 1 || channels !== 1 || rows < 1 || columns < 1) {
    throw invalidArgument(`Sliding window ${what} must be 1 in batches and channels: ${cppShapeText(sizes)}`);
  }
  return [rows, columns];
}

/** @throws TensorFlowError INVALID_ARGUMENT for invalid attributes. */
export function argmaxPoolingOf(node: KernelNode): ArgmaxPooling {
  return {
    windows: alongImage("ksize", node.ints("ksize")),
    strides: alongImage("strides", node.ints("strides")),
    scheme: node.string("padding"),
    countsBatch: node.bool("include_batch_in_index"),
  };
}

/** How the pool moves along the rows (axis 0) or columns of images. */
function dimension(shape: readonly number[], axis: 0 | 1, attributes: ArgmaxPooling): WindowDimension {
  if (shape.length !== 4) {
    throw invalidArgument(`tensor_in must be 4-dimensional${cppShapeText(shape)}`);
  }
  return windowDimension({
    input: shape[axis + 1] ?? 0,
    window: attributes.windows[axis],
    stride: attributes.strides[axis],
    dilation: 1,
    scheme: attributes.scheme,
  });
}

/** How the pool moves over images of a shape, and the shape of its result. @throws TensorFlowError INVALID_ARGUMENT */
export function poolShape(images: readonly number[], attributes: ArgmaxPooling) {
  const dimensions = [dimension(images, 0, attributes), dimension(images, 1, attributes)] as const;
  const [rows, columns] = dimensions;
  const [batch = 0, , , channels = 0] = images;
  return { dimensions, shape: [batch, rows.output, columns.output, channels] };
}

/** The largest element under each position of the window and its index; the first one wins ties. */
function pool(images: Tensor, attributes: ArgmaxPooling, indexType: "int32" | "int64"): Tensor[] {
  const { dimensions, shape } = poolShape(images.shape, attributes);
  const [rows, columns] = dimensions;
  const [, height = 0, width = 0, channels = 0] = images.shape;
  const out = newNumbers(images.dtype, shape);
  const indexes = newNumbers("float64", shape);
  const pixels = numbersOf(images);
  const perImage = height * width * channels;
  for (let at = 0; at < out.length; at += 1) {
    const channel = at % channels;
    const index = Math.floor(at / channels);
    const x = index % columns.output;
    const y = Math.floor(index / columns.output) % rows.output;
    const image = Math.floor(index / (columns.output * rows.output)) * perImage;
    let best = -1;
    for (let i = 0; i < rows.window; i += 1) {
      const row = imagePixel(rows, y, i);
      for (let j = 0; j < columns.window && row >= 0 && row < height; j += 1) {
        const column = imagePixel(columns, x, j);
        if (column < 0 || column >= width) {
          continue;
        }
        const pixel = image + (row * width + column) * channels + channel;
        if (best < 0 || (pixels[pixel] as number) > (pixels[best] as number)) {
          best = pixel;
        }
      }
    }
    out[at] = pixels[best] ?? 0;
    indexes[at] = attributes.countsBatch ? best : best - image;
  }
  return [new Tensor(images.dtype, shape, out), integerTensor(indexType, shape, indexes)];
}

/** Adds each gradient to the element that was the maximum. */
function gradient(images: Tensor, incoming: Tensor, argmax: Tensor, attributes: ArgmaxPooling): Tensor {
  const { shape: expected } = poolShape(images.shape, attributes);
  for (const [name, { shape }] of Object.entries({ grad: incoming, argmax })) {
    if (!sameShape(shape, expected)) {
      throw invalidArgument(
        `Expected ${name} shape to be ${cppShapeText(expected)}, but got ${cppShapeText(shape)}`,
      );
    }
  }
  const out = newNumbers(images.dtype, images.shape);
  const [changes, indexes] = [numbersOf(incoming), indicesOf(argmax)];
  const perImage = productOf(images.shape, 1);
  const perPool = productOf(expected, 1);
  for (let at = 0; at < changes.length; at += 1) {
    const image = attributes.countsBatch ? 0 : Math.floor(at / perPool) * perImage;
    const index = image + (indexes[at] as number);
    if (!(index >= 0 && index < out.length)) {
      throw invalidArgument(`Invalid input_backprop index: ${index}, should be in [0, ${out.length})`);
    }
    out[index] = (out[index] as number) + (changes[at] as number);
  }
  return new Tensor(images.dtype, images.shape, out);
}

const options = {
  types: { T: [...allFloatTypes, ...shortIntTypes], Targmax: indexTypes },
  cost: (node: KernelNode, inputs: readonly Tensor[]) =>
    inputAt(inputs, 0).size * 4 * productOf(node.ints("ksize")),
};

/** Max pooling that also returns the indices of the maxima. */
export const argmaxPoolingKernels: readonly PureKernelDefinition[] = [
  pureKernel(
    "MaxPoolWithArgmax",
    (node) => {
      const attributes = argmaxPoolingOf(node);
      const indexType = node.type("Targmax") === "int32" ? "int32" : "int64";
      return withSmallFloats((inputs) => pool(inputAt(inputs, 0), attributes, indexType));
    },
    options,
  ),
  pureKernel(
    "MaxPoolGradWithArgmax",
    (node) => {
      const attributes = argmaxPoolingOf(node);
      return withSmallFloats((inputs) => [
        gradient(inputAt(inputs, 0), inputAt(inputs, 1), inputAt(inputs, 2), attributes),
      ]);
    },
    options,
  ),
];
