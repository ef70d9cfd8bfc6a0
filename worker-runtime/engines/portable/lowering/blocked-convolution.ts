import type { WindowDimension } from "../kernels/nn/windows.js";
import type { OnnxAttributes } from "../onnx/attributes.js";
import { string } from "../onnx/attributes.js";
import type { ModelBuilder, OnnxValue } from "../onnx/model-builder.js";
import { blockedNode, toBlocks } from "./blocked-images.js";
import { int64s } from "./constants.js";
import { reversed, turnedWindow } from "./convolution-gradients.js";
import { reshape, toChannelsFirst, transpose } from "./layout.js";
import { convolved } from "./origins.js";

/** A convolution of images whose channels are in blocks (blocked-images.ts), without groups. */
export interface BlockedConvolution {
  readonly images: OnnxValue;
  /** [rows, columns, in, out] */
  readonly filter: OnnxValue;
  readonly sizes: readonly number[];
  readonly attributes: OnnxAttributes;
  readonly channelsFirst: boolean;
  /** The number of channels of a block. */
  readonly block: number;
}

/**
 * Whether a filter can be in blocks. Fewer input channels than a block has stay in ONNX's order.
 *
 * Filters of one pixel are left to ONNX Runtime's other convolutions, although it is as exact and mostly faster with them in
 * blocks: of 3 to 1280 channels, with strides of 1 and 2, convolutions and their gradients are at most 5.4e-7 of the largest
 * element off float64, those in ONNX's order 1.0e-6; three convolutions of 256-64-64-256 channels of 28 x 28 pixels take 4.9 ms
 * instead of 5.8 (one thread). But they round otherwise, and an activation within rounding of a bend of ReLU6 has another
 * gradient: probably therefore, a step of training MobileNetV2 is 0.041 off TensorFlow's with the inputs of its test, where
 * 0.008 is allowed, while with four of five other inputs it is within what is allowed. TensorFlow's own step is 0.020 and 0.085 off
 * float64 with oneDNN for two of six inputs, and 0.0001 to 0.0004 for the others.
 * @param sizes [rows, columns, in, out]
 */
export function fitsBlocks(
  [rows = 0, columns = 0, taken = 0, out = 0]: readonly number[],
  block: number,
): boolean {
  return (
    rows * columns > 1 && taken > 0 && out > 0 && out % block === 0 && (taken < block || taken % block === 0)
  );
}

/**
 * The output of a node that convolves. Its bias and its activation are added by convolutions of their own, of which the
 * model keeps the last.
 */
export function convolveBlocks(model: ModelBuilder, convolution: BlockedConvolution): OnnxValue {
  const { filter, images, sizes, channelsFirst, block } = convolution;
  const [, , taken = 0, channels = 0] = sizes;
  const given =
    taken < block
      ? toChannelsFirst(model, images, 4, channelsFirst)
      : toBlocks(model, images, taken, channelsFirst);
  const weights = blockedFilter(model, filter, sizes, block);
  const { attributes } = convolution;
  const make = (bias: readonly OnnxValue[], activation: OnnxAttributes): OnnxValue =>
    blockedNode(
      model,
      "Conv",
      [given, weights, ...bias],
      { ...attributes, ...activation },
      { channels, channelsFirst },
    );
  const withBias = (...bias: readonly OnnxValue[]): OnnxValue => {
    const output = make(bias, {});
    convolved.set(output, {
      channelsFirst,
      ...(bias.length === 0 ? { withBias } : {}),
      withRelu: () => make(bias, { activation: string("Relu") }),
    });
    return output;
  };
  return withBias();
}

/** The gradient of a convolution's images: one of the gradient with the filter turned round. */
export function blockedImageGradient(
  model: ModelBuilder,
  gradient: Omit<BlockedConvolution, "attributes">,
  dimensions: readonly WindowDimension[],
): OnnxValue | undefined {
  const { images, filter, sizes, channelsFirst, block } = gradient;
  const [rows = 1, columns = 1, taken = 0, out = 0] = sizes;
  const window = turnedWindow(dimensions);
  if (window === undefined || taken % block !== 0 || out % block !== 0) {
    return undefined;
  }
  const turned = reversed(model, filter, dimensions, 0);
  const exchanged = transpose(model, inBlocks(model, turned, sizes, block), [2, 4, 0, 1, 5, 3]);
  const weights = reshape(model, exchanged, [taken, out, rows, columns]);
  const given = toBlocks(model, images, out, channelsFirst);
  return blockedNode(model, "Conv", [given, weights], window, { channels: taken, channelsFirst });
}

/**
 * A filter for convolutions in blocks, which has the shape of ONNX's filters: [out, in, rows, columns]. The model fails if
 * it has other sizes than those for which the model was made: the larger of both are more elements.
 */
function blockedFilter(
  model: ModelBuilder,
  filter: OnnxValue,
  sizes: readonly number[],
  block: number,
): OnnxValue {
  const [rows = 1, columns = 1, taken = 0, out = 0] = sizes;
  const ordered =
    taken < block
      ? transpose(model, reshape(model, filter, [rows, columns, taken, out / block, block]), [3, 2, 0, 1, 4])
      : transpose(model, inBlocks(model, filter, sizes, block), [4, 2, 0, 1, 3, 5]);
  const shape = model.node("Shape", [filter], "int64");
  const own = model.node("Gather", [shape, int64s(model, [3, 2, 0, 1])], "int64");
  const target = model.node("Max", [own, int64s(model, [out, taken, rows, columns])], "int64");
  return model.node("Reshape", [ordered, target], filter.dtype, { rank: 4 });
}

/** [rows, columns, in, out] with blocks as dimensions of their own. */
function inBlocks(
  model: ModelBuilder,
  filter: OnnxValue,
  [rows = 1, columns = 1, taken = 0, out = 0]: readonly number[],
  block: number,
): OnnxValue {
  return reshape(model, filter, [rows, columns, taken / block, block, out / block, block]);
}
