/** Gradients of convolutions in any number of dimensions, for known sizes. */
import type { WindowDimension } from "../kernels/nn/windows.js";
import type { OnnxAttributes } from "../onnx/attributes.js";
import { int, ints } from "../onnx/attributes.js";
import type { ModelBuilder, OnnxValue } from "../onnx/model-builder.js";
import { int64s } from "./constants.js";
import { reshape, transpose } from "./layout.js";
import { paddingsOf, pixelsLeft } from "./windows.js";

/** The attributes of a Conv for known sizes. */
export function fixedWindow(dimensions: readonly WindowDimension[]): OnnxAttributes {
  return {
    strides: ints(dimensions.map(({ stride }) => stride)),
    dilations: ints(dimensions.map(({ dilation }) => dilation)),
    pads: ints(paddingsOf(dimensions)),
  };
}

/** Images whose gradient is computed. */
interface Images {
  readonly dimensions: readonly WindowDimension[];
  readonly channels: number;
  /** The number of groups of channels that were convolved separately. */
  readonly groups: number;
}

/**
 * The gradient of a convolution's images: ConvTranspose. Pixels at the end of the images that no window reaches are
 * added as output padding. Without strides it is a convolution of the gradient with the filter turned round, which several
 * threads divide among them, and which is mostly faster on one, too.
 * @param filter in ONNX's order.
 * @param gradient with its channels first.
 */
export function imageGradient(
  model: ModelBuilder,
  [filter, gradient]: readonly [OnnxValue, OnnxValue],
  { dimensions, channels, groups }: Images,
): OnnxValue {
  const rank = dimensions.length + 2;
  const window = turnedWindow(dimensions);
  const isOfEach = groups > 1 && groups === channels;
  const isWorthwhile = dimensions.length > 2 || channels >= MIN_CONVOLVED_CHANNELS;
  if (window !== undefined && (isOfEach || (groups === 1 && isWorthwhile))) {
    const turned = turnedFilter(model, filter, dimensions, isOfEach ? channels : undefined);
    return model.node("Conv", [gradient, turned], gradient.dtype, {
      attributes: { ...window, group: int(groups) },
      rank,
    });
  }
  const left = dimensions.map((dimension) => Math.max(0, pixelsLeft(dimension)));
  return model.node("ConvTranspose", [gradient, filter], gradient.dtype, {
    attributes: { ...fixedWindow(dimensions), output_padding: ints(left), group: int(groups) },
    rank,
  });
}

/**
 * For images of fewer channels, ConvTranspose is faster on one thread: 0.95 and 1.15 ms for 16 of 14 by 14 pixels. For
 * volumes it is five to ten times as slow.
 */
const MIN_CONVOLVED_CHANNELS = 24;

/**
 * The attributes of a convolution of the gradient that gives that of the images, for filters that are turned round.
 * @returns undefined if it is no convolution: with strides, or if paddings would be negative.
 */
export function turnedWindow(dimensions: readonly WindowDimension[]): OnnxAttributes | undefined {
  const pads = turnedPaddings(dimensions);
  const isSimple = dimensions.every(({ stride }) => stride === 1) && pads.every((pixels) => pixels >= 0);
  return isSimple ? { ...fixedWindow(dimensions), pads: ints(pads) } : undefined;
}

/** The paddings of a gradient, in ONNX's order, that make its convolution as large as the images. */
function turnedPaddings(dimensions: readonly WindowDimension[]): readonly number[] {
  const before = dimensions.map(({ window, dilation, padding }) => (window - 1) * dilation - padding);
  const after = dimensions.map(
    ({ input, output, window, dilation }, i) => input - output + (window - 1) * dilation - (before[i] ?? 0),
  );
  return [...before, ...after];
}

/**
 * A filter with its pixels in reverse and its inputs and outputs exchanged, in ONNX's order.
 * @param groups if each channel is convolved by itself, their number.
 */
function turnedFilter(
  model: ModelBuilder,
  filter: OnnxValue,
  dimensions: readonly WindowDimension[],
  groups: number | undefined,
): OnnxValue {
  const exchanged =
    groups === undefined
      ? transpose(model, filter, [1, 0, ...dimensions.map((_, i) => i + 2)])
      : reshape(model, filter, [groups, -1, ...dimensions.map(({ window }) => window)]);
  return reversed(model, exchanged, dimensions, 2);
}

/** A filter with its pixels in reverse. @param first the first of its dimensions that are those of a window. */
export function reversed(
  model: ModelBuilder,
  filter: OnnxValue,
  dimensions: readonly WindowDimension[],
  first: number,
): OnnxValue {
  const windows = dimensions.map(({ window }) => window);
  const all = (value: number) => int64s(model, new Array<number>(windows.length).fill(value));
  return windows.every((size) => size === 1)
    ? filter
    : model.node(
        "Slice",
        [
          filter,
          all(-1),
          int64s(
            model,
            windows.map((size) => -size - 1),
          ),
          int64s(
            model,
            windows.map((_, i) => first + i),
          ),
          all(-1),
        ],
        filter.dtype,
      );
}

/** Images whose patches are taken: the dimensions of their pixels, of which the first is `axis`. */
interface Pixels {
  readonly dimensions: readonly WindowDimension[];
  readonly axis: number;
  readonly rank: number;
}

/** The patches of images that are multiplied by each pixel of a filter, in the filter's order. */
function patches(model: ModelBuilder, images: OnnxValue, pixels: Pixels): readonly OnnxValue[] {
  const { dimensions, axis } = pixels;
  const isWhole = dimensions.every(({ window, input, output }) => window === 1 && input === output);
  const padded = padImages(model, images, pixels);
  if (isWhole) {
    return [padded];
  }
  const axes = dimensions.map((_, i) => i + axis);
  return pixelsOf(dimensions).map((pixel) => {
    const starts = dimensions.map(({ dilation }, i) => (pixel[i] ?? 0) * dilation);
    const ends = dimensions.map(({ output, stride }, i) => (starts[i] ?? 0) + (output - 1) * stride + 1);
    const steps = dimensions.map(({ stride }) => stride);
    const bounds = [starts, ends, axes, steps].map((values) => int64s(model, values));
    return model.node("Slice", [padded, ...bounds], images.dtype);
  });
}

/** The patches of images with their channels last. */
function patchesLast(
  model: ModelBuilder,
  images: OnnxValue,
  dimensions: readonly WindowDimension[],
): readonly OnnxValue[] {
  return patches(model, images, { dimensions, axis: 1, rank: dimensions.length + 2 });
}

function padImages(model: ModelBuilder, images: OnnxValue, { dimensions, axis, rank }: Pixels): OnnxValue {
  const pads = paddingsOf(dimensions);
  const middle = dimensions.length;
  const around = (some: readonly number[]) => [
    ...new Array<number>(axis).fill(0),
    ...some,
    ...new Array<number>(rank - axis - middle).fill(0),
  ];
  const all = [...around(pads.slice(0, middle)), ...around(pads.slice(middle))];
  return pads.every((pixels) => pixels === 0)
    ? images
    : model.node("Pad", [images, int64s(model, all)], images.dtype);
}

/** The indices of all pixels of a window, in row-major order. */
function pixelsOf(dimensions: readonly WindowDimension[]): readonly (readonly number[])[] {
  return dimensions.reduce<readonly (readonly number[])[]>(
    (pixels, { window }) =>
      pixels.flatMap((pixel) => Array.from({ length: window }, (_, index) => [...pixel, index])),
    [[]],
  );
}

/** A filter whose gradient is computed from images and the gradient of the result, both with their channels last. */
export interface Filter {
  /** Its sizes: rows, …, in, out. */
  readonly shape: readonly number[];
  readonly dimensions: readonly WindowDimension[];
  /** The number of images. */
  readonly batch: number;
  /** The number of groups of channels that are convolved separately. */
  readonly groups: number;
}

/**
 * The gradient of a filter: for each of its pixels the transposed matrix of the image pixels it is multiplied by, times
 * the gradient.
 */
export function filterGradient(
  model: ModelBuilder,
  images: OnnxValue,
  gradient: OnnxValue,
  filter: Filter,
): OnnxValue {
  const { shape, dimensions, groups } = filter;
  const [channels = 0, out = 0] = shape.slice(-2);
  if (groups === 1 && channels <= FEW_CHANNELS) {
    return filterGradientOfFewChannels(model, images, gradient, filter);
  }
  const multiply = groups === 1 ? multiplied(model, gradient, channels, out) : undefined;
  const products = patchesLast(model, images, dimensions).map(
    multiply ?? ((patch) => multipliedByGroup(model, patch, gradient, [groups, channels, out / groups])),
  );
  return reshape(model, joined(model, products), shape);
}

/**
 * With a few channels, one product of the patches of several pixels takes half the time of a product for each pixel,
 * which would read the gradient as often. With more, bringing the channels to the front takes longer than that.
 */
const FEW_CHANNELS = 4;
/** The largest number of elements of patches that are held at the same time for one product. */
const MAX_JOINED_ELEMENTS = 2 ** 24;

function filterGradientOfFewChannels(
  model: ModelBuilder,
  images: OnnxValue,
  gradient: OnnxValue,
  { shape, dimensions, batch }: Filter,
): OnnxValue {
  const rank = dimensions.length + 2;
  const [channels = 0, out = 0] = shape.slice(-2);
  const first = transpose(model, images, [rank - 1, ...Array.from({ length: rank - 1 }, (_, axis) => axis)]);
  const taken = patches(model, first, { dimensions, axis: 2, rank });
  const right = reshape(model, gradient, [-1, out]);
  const elements = dimensions.reduce((product, { output }) => product * output, batch * channels);
  const count = Math.max(1, Math.floor(MAX_JOINED_ELEMENTS / elements));
  const products = Array.from({ length: Math.ceil(taken.length / count) }, (_, i) => {
    const some = taken.slice(i * count, (i + 1) * count);
    const rows = reshape(model, joined(model, some), [some.length * channels, -1]);
    return model.node("Gemm", [rows, right], gradient.dtype);
  });
  return reshape(model, joined(model, products), shape);
}

function multiplied(
  model: ModelBuilder,
  gradient: OnnxValue,
  channels: number,
  out: number,
): (patch: OnnxValue) => OnnxValue {
  const right = reshape(model, gradient, [-1, out]);
  const attributes = { transA: int(1) };
  return (patch) =>
    model.node("Gemm", [reshape(model, patch, [-1, channels]), right], gradient.dtype, { attributes });
}

/** @returns a matrix of `channels` rows and `groups` · `out` columns. */
function multipliedByGroup(
  model: ModelBuilder,
  patch: OnnxValue,
  gradient: OnnxValue,
  [groups, channels, out]: readonly [number, number, number],
): OnnxValue {
  const left = transpose(model, reshape(model, patch, [-1, groups, channels]), [1, 2, 0]);
  const right = transpose(model, reshape(model, gradient, [-1, groups, out]), [1, 0, 2]);
  const product = model.node("MatMul", [left, right], gradient.dtype);
  return reshape(model, transpose(model, product, [1, 0, 2]), [channels, groups * out]);
}

/** The gradient of a filter [rows, columns, channels, multiplier] that is applied to each channel by itself. */
export function depthwiseFilterGradient(
  model: ModelBuilder,
  images: OnnxValue,
  gradient: OnnxValue,
  { shape, dimensions }: Filter,
): OnnxValue {
  const [channels = 0, multiplier = 0] = shape.slice(-2);
  // Each channel has `multiplier` consecutive results.
  const spread = (value: OnnxValue, last: number) =>
    multiplier === 1 ? value : reshape(model, value, [0, 0, 0, channels, last]);
  const right = spread(gradient, multiplier);
  const attributes = { keepdims: int(0) };
  const sums = patchesLast(model, images, dimensions).map((patch) => {
    const product = model.node("Mul", [spread(patch, 1), right], gradient.dtype);
    return model.node("ReduceSum", [product, int64s(model, [0, 1, 2])], gradient.dtype, { attributes });
  });
  return reshape(model, joined(model, sums), shape);
}

function joined(model: ModelBuilder, parts: readonly OnnxValue[]): OnnxValue {
  const [first] = parts;
  return parts.length === 1 && first !== undefined
    ? first
    : model.node("Concat", parts, (first as OnnxValue).dtype, { attributes: { axis: int(0) } });
}
