import { invalidArgument, unimplemented } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import type { KernelNode } from "../kernel-node.js";
import { type NumberArray, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText, productOf, sameShape } from "../support/shapes.js";
import { transposed } from "../support/view.js";
import { convolutionFilterGradient, convolutionInputGradient, convolve } from "./convolution.js";
import { imagePixel, type WindowAttributes, type WindowDimension, windowDimension } from "./windows.js";

/** How windows of a convolution move over volumes [batch, planes, rows, columns, channels]. */
export interface VolumeAttributes {
  readonly channelsFirst: boolean;
  readonly padding: string;
  /** From plane to plane. */
  readonly stride: number;
  readonly dilation: number;
  /** Within a plane. */
  readonly image: WindowAttributes;
}

/** @throws TensorFlowError INVALID_ARGUMENT for invalid attributes, UNIMPLEMENTED for strides over batches. */
export function volumeAttributes(node: KernelNode): VolumeAttributes {
  const format = node.has("data_format") ? node.string("data_format") : "NDHWC";
  if (format !== "NDHWC" && format !== "NCDHW") {
    throw invalidArgument("Invalid data format");
  }
  const channelsFirst = format === "NCDHW";
  const inner = (attr: string, what: string): readonly [number, number, number] => {
    const sizes = node.has(attr) ? node.ints(attr) : [1, 1, 1, 1, 1];
    const [batch, a = 1, b = 1, c = 1, d = 1] = sizes;
    if (sizes.length !== 5) {
      throw invalidArgument(`${what} field must specify 5 dimensions`);
    }
    if (batch !== 1 || (channelsFirst ? a : d) !== 1) {
      throw unimplemented(
        `Current implementation does not yet support ${attr} in the batch and depth dimensions.`,
      );
    }
    if (sizes.some((size) => size <= 0)) {
      throw invalidArgument(`${what} must be positive.`);
    }
    return channelsFirst ? [b, c, d] : [a, b, c];
  };
  const [stride, ...strides] = inner("strides", "Sliding window strides");
  const [dilation, ...dilations] = inner("dilations", "Dilation rates");
  const padding = node.string("padding");
  return {
    channelsFirst,
    padding,
    stride,
    dilation,
    image: {
      channelsFirst: false,
      padding,
      explicitPaddings: [],
      strides: [1, ...strides, 1],
      dilations: [1, ...dilations, 1],
    },
  };
}

/** Transposes volumes to NDHWC. @throws TensorFlowError INVALID_ARGUMENT for other ranks. */
export function volumesChannelsLast(volumes: Tensor, channelsFirst: boolean, what: string): Tensor {
  if (volumes.shape.length !== 5) {
    throw invalidArgument(`${what} must be 5-dimensional: ${cppShapeText(volumes.shape)}`);
  }
  return channelsFirst ? transposed(volumes, [0, 2, 3, 4, 1]) : volumes;
}

/** Transposes NDHWC volumes to the layout of the attribute data_format. */
export function volumesAsGiven(volumes: Tensor, channelsFirst: boolean): Tensor {
  return channelsFirst ? transposed(volumes, [0, 4, 1, 2, 3]) : volumes;
}

/** How a filter moves over volumes from plane to plane. @throws TensorFlowError INVALID_ARGUMENT */
function planesOf(
  { stride, dilation, padding }: VolumeAttributes,
  volumes: readonly number[],
  filter: readonly number[],
): WindowDimension {
  if (volumes.length !== 5 || filter.length !== 5) {
    const wrong = volumes.length !== 5 ? volumes : filter;
    throw invalidArgument(`input and filter must have 5 dimensions, not ${cppShapeText(wrong)}`);
  }
  if (filter.includes(0)) {
    throw invalidArgument("filter must not have zero elements (i.e. all dimensions must be non-zero)");
  }
  if (volumes[4] !== filter[3]) {
    throw invalidArgument(`input and filter must have the same depth: ${volumes[4]} vs ${filter[3]}`);
  }
  return windowDimension({
    input: volumes[1] ?? 0,
    window: filter[0] ?? 0,
    stride,
    dilation,
    scheme: padding,
  });
}

/** The plane of each volume under one plane of the filter, for each position of the window that has one. */
function meetings(planes: WindowDimension, inFilter: number): { index: number; plane: number }[] {
  return Array.from({ length: planes.output }, (_, index) => ({
    index,
    plane: imagePixel(planes, index, inFilter),
  })).filter(({ plane }) => plane >= 0 && plane < planes.input);
}

/** Planes of each volume as a batch of images. */
function takePlanes(volumes: Tensor, planes: readonly number[]): Tensor {
  const [batch = 0, depth = 0, ...image] = volumes.shape;
  const size = productOf(image);
  const from = numbersOf(volumes);
  const shape = [batch * planes.length, ...image];
  const out = newNumbers(volumes.dtype, shape);
  let at = 0;
  for (let volume = 0; volume < batch; volume += 1) {
    for (const plane of planes) {
      const start = (volume * depth + plane) * size;
      out.set(from.subarray(start, start + size), at);
      at += size;
    }
  }
  return new Tensor(volumes.dtype, shape, out);
}

/** Adds a batch of images to the planes of each volume that they belong to. */
function addPlanes(
  images: Tensor,
  planes: readonly number[],
  shape: readonly number[],
  out: NumberArray,
): void {
  const [batch = 0, depth = 0, ...image] = shape;
  const size = productOf(image);
  const values = numbersOf(images);
  let from = 0;
  for (let volume = 0; volume < batch; volume += 1) {
    for (const plane of planes) {
      const start = (volume * depth + plane) * size;
      for (let i = 0; i < size; i += 1) {
        out[start + i] = (out[start + i] as number) + (values[from + i] as number);
      }
      from += size;
    }
  }
}

/** Plane `index` of a filter [planes, rows, columns, in, out]. */
function filterPlane(filter: Tensor, index: number): Tensor {
  const [, ...shape] = filter.shape;
  const size = productOf(shape);
  return new Tensor(filter.dtype, shape, numbersOf(filter).slice(index * size, (index + 1) * size));
}

/** The shape of a convolution's result. @throws TensorFlowError INVALID_ARGUMENT */
function resultShape(
  { image, padding }: VolumeAttributes,
  planes: WindowDimension,
  volumes: readonly number[],
  filter: readonly number[],
): number[] {
  const [rows, columns] = [0, 1].map(
    (axis) =>
      windowDimension({
        input: volumes[axis + 2] ?? 0,
        window: filter[axis + 1] ?? 0,
        stride: image.strides[axis + 1] ?? 1,
        dilation: image.dilations[axis + 1] ?? 1,
        scheme: padding,
      }).output,
  );
  return [volumes[0] ?? 0, planes.output, rows ?? 0, columns ?? 0, filter[4] ?? 0];
}

/**
 * Convolves volumes with a filter, both float32 or both float64. A plane of the result is a sum of convolutions of
 * images, one for each plane of the filter with the plane of the volume under it.
 * @throws TensorFlowError INVALID_ARGUMENT
 */
export function convolveVolumes(attributes: VolumeAttributes, volumes: Tensor, filter: Tensor): Tensor {
  const planes = planesOf(attributes, volumes.shape, filter.shape);
  const shape = resultShape(attributes, planes, volumes.shape, filter.shape);
  const out = newNumbers(volumes.dtype, shape);
  for (let inFilter = 0; inFilter < planes.window; inFilter += 1) {
    const met = meetings(planes, inFilter);
    const images = takePlanes(
      volumes,
      met.map(({ plane }) => plane),
    );
    const part = convolve(attributes.image, images, filterPlane(filter, inFilter));
    addPlanes(
      part,
      met.map(({ index }) => index),
      shape,
      out,
    );
  }
  return new Tensor(volumes.dtype, shape, out);
}

function checkGradient(gradient: Tensor, expected: readonly number[]): void {
  if (!sameShape(gradient.shape, expected)) {
    throw invalidArgument(
      `Size of out_backprop doesn't match computed: actual = ${cppShapeText(gradient.shape)}, computed = ${cppShapeText(expected)}`,
    );
  }
}

/** The gradient of a convolution's filter. @throws TensorFlowError INVALID_ARGUMENT */
export function volumeFilterGradient(
  attributes: VolumeAttributes,
  volumes: Tensor,
  filterShape: readonly number[],
  gradient: Tensor,
): Tensor {
  const planes = planesOf(attributes, volumes.shape, filterShape);
  checkGradient(gradient, resultShape(attributes, planes, volumes.shape, filterShape));
  const [, ...planeShape] = filterShape;
  const size = productOf(planeShape);
  const out = newNumbers(volumes.dtype, filterShape);
  for (let inFilter = 0; inFilter < planes.window; inFilter += 1) {
    const met = meetings(planes, inFilter);
    const images = takePlanes(
      volumes,
      met.map(({ plane }) => plane),
    );
    const gradients = takePlanes(
      gradient,
      met.map(({ index }) => index),
    );
    const part = convolutionFilterGradient(attributes.image, images, planeShape, gradients);
    out.set(numbersOf(part), inFilter * size);
  }
  return new Tensor(volumes.dtype, filterShape, out);
}

/** The gradient of a convolution's volumes. @throws TensorFlowError INVALID_ARGUMENT */
export function volumeInputGradient(
  attributes: VolumeAttributes,
  shape: readonly number[],
  filter: Tensor,
  gradient: Tensor,
): Tensor {
  const planes = planesOf(attributes, shape, filter.shape);
  checkGradient(gradient, resultShape(attributes, planes, shape, filter.shape));
  const [batch = 0, , ...image] = shape;
  const out = newNumbers(filter.dtype, shape);
  for (let inFilter = 0; inFilter < planes.window; inFilter += 1) {
    const met = meetings(planes, inFilter);
    const gradients = takePlanes(
      gradient,
      met.map(({ index }) => index),
    );
    const imagesShape = [batch * met.length, ...image];
    const part = convolutionInputGradient(
      attributes.image,
      imagesShape,
      filterPlane(filter, inFilter),
      gradients,
    );
    addPlanes(
      part,
      met.map(({ plane }) => plane),
      shape,
      out,
    );
  }
  return new Tensor(filter.dtype, shape, out);
}
