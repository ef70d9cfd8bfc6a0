import { invalidArgument, unimplemented } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { KernelNode } from "../kernel-node.js";
import { integersOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { transposed } from "../support/view.js";

/** How a window moves along one dimension of images. */
export interface WindowDimension {
  /** Pixels of the image. */
  readonly input: number;
  /** Pixels of the window. */
  readonly window: number;
  /** Pixels from one position of the window to the next. */
  readonly stride: number;
  /** Pixels of the image from one pixel of the window to the next. */
  readonly dilation: number;
  /** Padding pixels before the image. */
  readonly padding: number;
  /** Positions of the window: pixels of the result. */
  readonly output: number;
}

/** How windows of a convolution or pooling move over images [batch, rows, columns, channels]. */
export interface WindowGeometry {
  readonly rows: WindowDimension;
  readonly columns: WindowDimension;
}

/** The attributes that define how windows move, with sizes in NHWC order. */
export interface WindowAttributes {
  readonly channelsFirst: boolean;
  readonly strides: readonly number[];
  readonly dilations: readonly number[];
  readonly padding: string;
  /** Pixels before and after each dimension, for padding "EXPLICIT". */
  readonly explicitPaddings: readonly number[];
}

/** @throws TensorFlowError INVALID_ARGUMENT for invalid attributes, UNIMPLEMENTED for strides over batches. */
export function windowAttributes(node: KernelNode): WindowAttributes {
  const format = node.has("data_format") ? node.string("data_format") : "NHWC";
  if (format !== "NHWC" && format !== "NCHW") {
    throw invalidArgument(`Invalid data format: ${format}`);
  }
  const channelsFirst = format === "NCHW";
  const sizes = (attr: string) => channelsLastOrder(node.ints(attr), channelsFirst, attr);
  const strides = sizes("strides");
  const dilations = node.has("dilations") ? sizes("dilations") : [1, 1, 1, 1];
  const explicit = node.has("explicit_paddings") ? node.ints("explicit_paddings") : [];
  if ([strides[0], strides[3], dilations[0], dilations[3]].some((size) => size !== 1)) {
    throw unimplemented(
      `Current implementation does not yet support strides and dilations in the batch and depth dimensions.`,
    );
  }
  if ([...strides, ...dilations].some((size) => size <= 0)) {
    throw invalidArgument("Strides and dilations must be positive.");
  }
  if (explicit.some((size) => size < 0)) {
    throw invalidArgument("All elements of explicit_paddings must be nonnegative");
  }
  return {
    channelsFirst,
    strides,
    dilations,
    padding: node.string("padding"),
    explicitPaddings: channelsFirst ? [...explicit.slice(4), ...explicit.slice(2, 4)] : explicit.slice(2, 6),
  };
}

/** Reorders four sizes from the attribute's data format to NHWC. */
export function channelsLastOrder(
  sizes: readonly number[],
  channelsFirst: boolean,
  what: string,
): readonly number[] {
  const [a, b, c, d] = sizes;
  if (a === undefined || b === undefined || c === undefined || d === undefined || sizes.length > 4) {
    throw invalidArgument(`${what} must specify 4 dimensions, got [${sizes.join(", ")}]`);
  }
  return channelsFirst ? [a, c, d, b] : [a, b, c, d];
}

/**
 * How a window of the given size moves over an image.
 * @param image a shape in NHWC order.
 * @throws TensorFlowError INVALID_ARGUMENT for windows larger than the padded image.
 */
export function windowGeometry(
  attributes: WindowAttributes,
  image: readonly number[],
  window: readonly [number, number],
): WindowGeometry {
  const dimension = (axis: 0 | 1): WindowDimension =>
    windowDimension({
      input: image[axis + 1] ?? 0,
      window: window[axis],
      stride: attributes.strides[axis + 1] ?? 1,
      dilation: attributes.dilations[axis + 1] ?? 1,
      scheme: attributes.padding,
      explicit: attributes.explicitPaddings.slice(2 * axis, 2 * axis + 2),
    });
  return { rows: dimension(0), columns: dimension(1) };
}

/** The parameters that determine the positions along one dimension. */
interface WindowMovement extends Pick<WindowDimension, "input" | "window" | "stride" | "dilation"> {
  /** "VALID", "SAME" or "EXPLICIT". */
  readonly scheme: string;
  /** Pixels before and after the image, for "EXPLICIT". */
  readonly explicit?: readonly number[];
}

/** How a window moves along one dimension. @throws TensorFlowError INVALID_ARGUMENT if the window is too large. */
export function windowDimension(movement: WindowMovement): WindowDimension {
  const { input, window, stride, dilation } = movement;
  const reach = (window - 1) * dilation + 1;
  const [before, after] = paddingOf(movement, reach);
  const output = Math.floor((input + before + after - reach + stride) / stride);
  if (output < 0) {
    throw invalidArgument(
      `Computed output size would be negative: ${output} [input_size: ${input}, effective_filter_size: ${reach}, stride: ${stride}]`,
    );
  }
  return { input, window, stride, dilation, padding: before, output };
}

/** Pixels before and after a dimension. "SAME" splits evenly the padding that ceil(input / stride) windows need. */
function paddingOf(
  { scheme, explicit = [], input, stride }: WindowMovement,
  reach: number,
): readonly [number, number] {
  switch (scheme) {
    case "VALID":
      return [0, 0];
    case "SAME": {
      const missing = Math.max(0, (Math.ceil(input / stride) - 1) * stride + reach - input);
      return [Math.floor(missing / 2), Math.ceil(missing / 2)];
    }
    case "EXPLICIT":
      return [explicit[0] ?? 0, explicit[1] ?? 0];
    default:
      throw invalidArgument(`Unknown padding type: ${scheme}`);
  }
}

/** Transposes images to NHWC. @throws TensorFlowError INVALID_ARGUMENT for other ranks. */
export function toChannelsLast(images: Tensor, channelsFirst: boolean, what = "input"): Tensor {
  if (images.shape.length !== 4) {
    throw invalidArgument(`${what} must be 4-dimensional: ${cppShapeText(images.shape)}`);
  }
  return channelsFirst ? transposed(images, [0, 2, 3, 1]) : images;
}

/** Transposes NHWC images to the layout of the attribute data_format. */
export function fromChannelsLast(images: Tensor, channelsFirst: boolean): Tensor {
  return channelsFirst ? transposed(images, [0, 3, 1, 2]) : images;
}

/** The pixel of the image under pixel `inWindow` of the window at `index`; outside the image in the padding. */
export function imagePixel(dimension: WindowDimension, index: number, inWindow: number): number {
  return index * dimension.stride - dimension.padding + inWindow * dimension.dilation;
}

/** A shape of four dimensions that is given as an input. @throws TensorFlowError INVALID_ARGUMENT */
export function shapeInput(sizes: Tensor, what: string): readonly number[] {
  if (sizes.shape.length !== 1 || sizes.size !== 4) {
    throw invalidArgument(`${what} must be 1-dimensional with 4 elements, not ${cppShapeText(sizes.shape)}`);
  }
  const shape = integersOf(sizes);
  if (shape.some((size) => size < 0)) {
    throw invalidArgument(`${what} must not be negative: ${cppShapeText(shape)}`);
  }
  return shape;
}
