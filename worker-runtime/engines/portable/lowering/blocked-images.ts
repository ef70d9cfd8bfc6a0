/**
 * Images whose channels are in blocks of a vector register's size, ONNX Runtime's own order on a CPU. It brings
 * convolutions with constant filters into this order by itself (onnxruntime/core/optimizer/nchwc_transformer.cc); those of
 * a network in training, whose filters are inputs of the model, take half the time in it, too.
 */
import { int, type OnnxAttributes } from "../onnx/attributes.js";
import { BLOCKED_CHANNELS, type ModelBuilder, type OnnxValue } from "../onnx/model-builder.js";

/** Images in blocks. Their shape is [batch, channels, rows, columns]. */
export interface BlockedImages {
  readonly value: OnnxValue;
  readonly channels: number;
}

/** By the same images in an order of TensorFlow. */
const blocked = new WeakMap<OnnxValue, BlockedImages>();

/** The same images in blocks, if a model has them. */
export function blockedImages(images: OnnxValue): BlockedImages | undefined {
  return blocked.get(images);
}

/** @param channels a multiple of the size of a block. */
export function toBlocks(
  model: ModelBuilder,
  images: OnnxValue,
  channels: number,
  channelsFirst: boolean,
): OnnxValue {
  const known = blocked.get(images);
  if (known !== undefined) {
    return known.value;
  }
  const value = model.node("ReorderInput", [images], images.dtype, {
    domain: BLOCKED_CHANNELS,
    attributes: { channels_last: int(channelsFirst ? 0 : 1) },
    rank: 4,
  });
  blocked.set(images, { value, channels });
  return value;
}

/** The result of an operator on blocks. */
export interface BlockedResult {
  readonly channels: number;
  readonly channelsFirst: boolean;
}

/**
 * Adds an operator that gives images in blocks.
 * @returns its result in an order of TensorFlow, whose `blockedImages` are known from then on.
 */
export function blockedNode(
  model: ModelBuilder,
  op: string,
  inputs: readonly OnnxValue[],
  attributes: OnnxAttributes,
  { channels, channelsFirst }: BlockedResult,
): OnnxValue {
  const value = model.node(op, inputs, "float32", { domain: BLOCKED_CHANNELS, attributes, rank: 4 });
  const result = model.node("ReorderOutput", [value], value.dtype, {
    domain: BLOCKED_CHANNELS,
    attributes: { channels: int(channels), channels_last: int(channelsFirst ? 0 : 1) },
    rank: 4,
  });
  blocked.set(result, { value, channels });
  return result;
}
