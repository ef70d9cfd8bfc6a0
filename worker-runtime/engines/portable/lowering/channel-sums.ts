import { int } from "../onnx/attributes.js";
import type { ModelBuilder, OnnxValue } from "../onnx/model-builder.js";
import { int64s } from "./constants.js";

/**
 * The sum of each channel, a vector.
 * @param axis the dimension of the channels.
 */
export function channelSums(model: ModelBuilder, value: OnnxValue, rank: number, axis: number): OnnxValue {
  const others = Array.from({ length: rank }, (_, each) => each).filter((each) => each !== axis);
  // ONNX Runtime divides sums over the first dimensions among threads by column, which is slower than one thread. Those
  // of single images, it divides by image.
  const [images, ...pixels] = others;
  return axis === rank - 1 && images === 0 && pixels.length > 0
    ? sum(model, sum(model, value, pixels), [images])
    : sum(model, value, others);
}

function sum(model: ModelBuilder, value: OnnxValue, axes: readonly number[]): OnnxValue {
  return model.node("ReduceSum", [value, int64s(model, axes)], value.dtype, {
    attributes: { keepdims: int(0) },
  });
}
