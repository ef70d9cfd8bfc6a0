import { ints } from "../onnx/attributes.js";
import type { ModelBuilder, OnnxValue } from "../onnx/model-builder.js";
import { int64s } from "./constants.js";

/** A tensor with its dimensions in another order: dimension i of the result is dimension `order[i]` of the value. */
export function transpose(model: ModelBuilder, value: OnnxValue, order: readonly number[]): OnnxValue {
  return order.every((axis, i) => axis === i)
    ? value
    : model.node("Transpose", [value], value.dtype, { attributes: { perm: ints(order) } });
}

/** The tensor with its last two dimensions exchanged. */
export function transposeMatrices(model: ModelBuilder, value: OnnxValue, rank: number): OnnxValue {
  const order = Array.from({ length: rank }, (_, axis) => axis);
  return transpose(model, value, [...order.slice(0, -2), rank - 1, rank - 2]);
}

/**
 * Images of rank 4 or volumes of rank 5 in ONNX's order for all ops with channels: batch, channels, pixels. ONNX
 * Runtime eliminates a transpose together with the inverse one of the next op.
 */
export function toChannelsFirst(
  model: ModelBuilder,
  images: OnnxValue,
  rank: number,
  channelsFirst: boolean,
): OnnxValue {
  const pixels = Array.from({ length: rank - 2 }, (_, i) => i + 1);
  return channelsFirst ? images : transpose(model, images, [0, rank - 1, ...pixels]);
}

/** The opposite of `toChannelsFirst`: converts a result of ONNX to the order of the attribute data_format. */
export function fromChannelsFirst(
  model: ModelBuilder,
  images: OnnxValue,
  rank: number,
  channelsFirst: boolean,
): OnnxValue {
  const pixels = Array.from({ length: rank - 2 }, (_, i) => i + 2);
  return channelsFirst ? images : transpose(model, images, [0, ...pixels, 1]);
}

/** Images of rank 4 with their channels last. */
export function toChannelsLast(model: ModelBuilder, images: OnnxValue, channelsFirst: boolean): OnnxValue {
  return channelsFirst ? transpose(model, images, [0, 2, 3, 1]) : images;
}

/** The opposite of `toChannelsLast`. */
export function fromChannelsLast(model: ModelBuilder, images: OnnxValue, channelsFirst: boolean): OnnxValue {
  return channelsFirst ? transpose(model, images, [0, 3, 1, 2]) : images;
}

/** @param shape may contain one -1 for the remaining size, and 0 for an unchanged size. */
export function reshape(model: ModelBuilder, value: OnnxValue, shape: readonly number[]): OnnxValue {
  return model.node("Reshape", [value, int64s(model, shape)], value.dtype);
}

/**
 * A vector of channels in a shape that broadcasts against a tensor of `rank` whose dimension `axis` holds the channels.
 */
export function alongAxis(model: ModelBuilder, vector: OnnxValue, rank: number, axis: number): OnnxValue {
  const behind = rank - 1 - axis;
  return behind === 0 ? vector : reshape(model, vector, [-1, ...new Array<number>(behind).fill(1)]);
}
