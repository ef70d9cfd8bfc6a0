import { invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { type MatrixView, rowMajor, transposed as transposedMatrix } from "../linalg/matrix.js";
import { multiplyFloatMatrices } from "../linalg/multiply.js";
import { type NumberArray, newNumbers, numbersOf } from "../support/elements.js";
import { cppShapeText, sameShape } from "../support/shapes.js";
import { gatherPatches, type PatchSource, patchSize, scatterPatches } from "./patches.js";
import { type WindowAttributes, type WindowGeometry, windowGeometry } from "./windows.js";

/** The maximum number of elements in a matrix of patches. */
const MAX_PATCH_ELEMENTS = 4 * 1024 * 1024;

/** A convolution with its sizes. Images are [batch, rows, columns, channels], filters [rows, columns, in, out]. */
interface Convolution {
  readonly geometry: WindowGeometry;
  readonly batch: number;
  readonly inChannels: number;
  readonly outChannels: number;
  /** Groups of channels that are convolved separately; more than 1 if the filter has fewer input channels. */
  readonly groups: number;
  readonly outShape: readonly number[];
}

/** @throws TensorFlowError INVALID_ARGUMENT for shapes that do not fit together. */
function convolutionOf(
  attributes: WindowAttributes,
  image: readonly number[],
  filter: readonly number[],
): Convolution {
  const [batch = 0, , , inChannels = 0] = image;
  const [rows = 0, columns = 0, filterChannels = 0, outChannels = 0] = filter;
  if (filter.length !== 4) {
    throw invalidArgument(`filter must be 4-dimensional: ${cppShapeText(filter)}`);
  }
  if (filter.includes(0)) {
    throw invalidArgument("filter must not have zero elements (i.e. all dimensions must be non-zero)");
  }
  if (inChannels % filterChannels !== 0) {
    throw invalidArgument(
      `input depth must be evenly divisible by filter depth: ${inChannels} vs ${filterChannels}`,
    );
  }
  const groups = inChannels / filterChannels;
  if (outChannels % groups !== 0) {
    throw invalidArgument(
      `output depth must be evenly divisible by number of groups: ${outChannels} vs ${groups}`,
    );
  }
  const geometry = windowGeometry(attributes, image, [rows, columns]);
  const outShape = [batch, geometry.rows.output, geometry.columns.output, outChannels];
  return { geometry, batch, inChannels, outChannels, groups, outShape };
}

/** Runs `each` for every group and every run of positions whose patches fit in memory together. */
function forEachPiece(
  convolution: Convolution,
  each: (source: PatchSource, group: number, first: number, count: number) => void,
): void {
  const { geometry, batch, inChannels, groups } = convolution;
  const positions = batch * geometry.rows.output * geometry.columns.output;
  const takenChannels = inChannels / groups;
  for (let group = 0; group < groups; group += 1) {
    const source = { geometry, channels: inChannels, firstChannel: group * takenChannels, takenChannels };
    const step = Math.max(1, Math.floor(MAX_PATCH_ELEMENTS / Math.max(1, patchSize(source))));
    for (let first = 0; first < positions; first += step) {
      each(source, group, first, Math.min(step, positions - first));
    }
  }
}

/** The part of a filter (or its gradient) that belongs to a group, as a matrix [patch, channels out]. */
function groupFilter<T>(data: T, { outChannels, groups }: Convolution, group: number, patch: number) {
  const columns = outChannels / groups;
  return { data, offset: group * columns, rows: patch, columns, rowStride: outChannels, columnStride: 1 };
}

/** The part of images of the output's shape that belongs to a group, as a matrix [positions, channels out]. */
function groupOutput<T>(
  data: T,
  { outChannels, groups }: Convolution,
  group: number,
  first: number,
  count: number,
) {
  const columns = outChannels / groups;
  const offset = first * outChannels + group * columns;
  return { data, offset, rows: count, columns, rowStride: outChannels, columnStride: 1 };
}

/** Adds a row-major matrix of the width of a group to rows of `outChannels` elements. */
function addRows(
  product: Float32Array | Float64Array,
  target: ReturnType<typeof numbersOf>,
  offset: number,
  width: number,
  stride: number,
): void {
  for (let from = 0, to = offset; from < product.length; from += width, to += stride) {
    for (let j = 0; j < width; j += 1) {
      target[to + j] = (target[to + j] as number) + (product[from + j] as number);
    }
  }
}

function newFloats(dtype: Tensor["dtype"], length: number): Float32Array | Float64Array {
  return dtype === "float64" ? new Float64Array(length) : new Float32Array(length);
}

/** The patches of `count` positions from `first` on, one per row. Those of single pixels are the images themselves. */
function patchMatrix(
  dtype: Tensor["dtype"],
  pixels: NumberArray,
  source: PatchSource,
  first: number,
  count: number,
): MatrixView<NumberArray> {
  const { geometry, channels, firstChannel, takenChannels } = source;
  const takesEachPixel = [geometry.rows, geometry.columns].every(
    ({ window, stride, padding, input, output }) =>
      window === 1 && stride === 1 && padding === 0 && input === output,
  );
  if (takesEachPixel) {
    const view = rowMajor(pixels, count, takenChannels, first * channels + firstChannel);
    return { ...view, rowStride: channels };
  }
  const patch = patchSize(source);
  const patches = newFloats(dtype, count * patch);
  gatherPatches(pixels, source, first, count, patches);
  return rowMajor(patches, count, patch);
}

/** Convolves images with a filter; both float32 or both float64. @throws TensorFlowError INVALID_ARGUMENT */
export function convolve(attributes: WindowAttributes, images: Tensor, filter: Tensor): Tensor {
  const { dtype } = images;
  const convolution = convolutionOf(attributes, images.shape, filter.shape);
  const { outChannels, groups, outShape } = convolution;
  const [pixels, weights] = [numbersOf(images), numbersOf(filter)];
  const out = newNumbers(dtype, outShape);
  forEachPiece(convolution, (source, group, first, count) => {
    const patch = patchSize(source);
    const patches = patchMatrix(dtype, pixels, source, first, count);
    const matrix = groupFilter(weights, convolution, group, patch);
    if (groups === 1) {
      multiplyFloatMatrices(dtype, patches, matrix, out, first * outChannels);
      return;
    }
    const width = outChannels / groups;
    const product = newFloats(dtype, count * width);
    multiplyFloatMatrices(dtype, patches, matrix, product);
    addRows(product, out, first * outChannels + group * width, width, outChannels);
  });
  return new Tensor(dtype, outShape, out);
}

/** The gradient of a convolution's filter. @throws TensorFlowError INVALID_ARGUMENT */
export function convolutionFilterGradient(
  attributes: WindowAttributes,
  images: Tensor,
  filterShape: readonly number[],
  gradient: Tensor,
): Tensor {
  const { dtype } = images;
  const convolution = convolutionOf(attributes, images.shape, filterShape);
  checkGradient(convolution, gradient);
  const { outChannels, groups } = convolution;
  const [pixels, gradients] = [numbersOf(images), numbersOf(gradient)];
  const out = newNumbers(dtype, filterShape);
  forEachPiece(convolution, (source, group, first, count) => {
    const patch = patchSize(source);
    const patches = patchMatrix(dtype, pixels, source, first, count);
    const width = outChannels / groups;
    const product = newFloats(dtype, patch * width);
    const right = groupOutput(gradients, convolution, group, first, count);
    multiplyFloatMatrices(dtype, transposedMatrix(patches), right, product);
    addRows(product, out, group * width, width, outChannels);
  });
  return new Tensor(dtype, filterShape, out);
}

/** The gradient of a convolution's images. @throws TensorFlowError INVALID_ARGUMENT */
export function convolutionInputGradient(
  attributes: WindowAttributes,
  imageShape: readonly number[],
  filter: Tensor,
  gradient: Tensor,
): Tensor {
  const { dtype } = filter;
  const convolution = convolutionOf(attributes, imageShape, filter.shape);
  checkGradient(convolution, gradient);
  const [weights, gradients] = [numbersOf(filter), numbersOf(gradient)];
  const out = newNumbers(dtype, imageShape);
  forEachPiece(convolution, (source, group, first, count) => {
    const patch = patchSize(source);
    const patches = newFloats(dtype, count * patch);
    const left = groupOutput(gradients, convolution, group, first, count);
    const right = transposedMatrix(groupFilter(weights, convolution, group, patch));
    multiplyFloatMatrices(dtype, left, right, patches);
    scatterPatches(patches, source, first, count, out);
  });
  return new Tensor(dtype, imageShape, out);
}

function checkGradient({ outShape }: Convolution, gradient: Tensor): void {
  if (!sameShape(outShape, gradient.shape)) {
    throw invalidArgument(
      `Size of out_backprop doesn't match computed: actual = ${cppShapeText(gradient.shape)}, computed = ${cppShapeText(outShape)}`,
    );
  }
}
