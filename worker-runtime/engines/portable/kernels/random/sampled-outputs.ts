/** Tensors with draws for each element of a tensor of parameters. */
import { type DType, integerRange } from "../../../../protocol/dtype.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isLong, isSmallFloat } from "../support/dtypes.js";
import { indicesOf, newLongs, newNumbers, numbersOf } from "../support/elements.js";
import { fromFloat32, toFloat32 } from "../support/small-floats.js";
import type { Philox } from "./philox.js";

/** Draws per turn: about five milliseconds. */
export const DRAWS_PER_TURN = 1024;

/** Draws for one element of the parameters. */
export interface Sampler {
  /** Blocks of the stream reserved for each draw, however many of them it uses. */
  readonly reservedBlocks: number;
  /** Makes one draw, starting at the stream's position. */
  draw(stream: Philox): number;
}

/** A parameter tensor's elements as JS numbers. */
export function parametersOf(tensor: Tensor): ArrayLike<number> {
  if (isSmallFloat(tensor.dtype)) {
    return numbersOf(toFloat32(tensor));
  }
  return isLong(tensor.dtype) ? indicesOf(tensor) : numbersOf(tensor);
}

/** Allocates the draws. @throws TensorFlowError INVALID_ARGUMENT, RESOURCE_EXHAUSTED */
export function newDraws(shape: readonly number[]): Float64Array {
  return newNumbers("float64", shape) as Float64Array;
}

/**
 * Makes the draws from index `first` up to, not including, `end`. As in TensorFlow's stream, they are ordered by
 * parameter; in the output the parameters are the last dimensions.
 * @param parameters the number of parameters, a divisor of the output's length.
 * @param samplerFor returns the sampler of a parameter.
 * @param start the position of draw 0 in the stream.
 */
export function writeDraws(
  output: Float64Array,
  parameters: number,
  samplerFor: (parameter: number) => Sampler,
  start: Philox,
  first: number,
  end: number,
): void {
  const samples = output.length / parameters;
  const stream = start.clone();
  for (let number = first; number < end; ) {
    const parameter = Math.floor(number / samples);
    const { reservedBlocks, draw } = samplerFor(parameter);
    const last = Math.min(end, (parameter + 1) * samples);
    for (; number < last; number += 1) {
      stream.moveTo(start, number * reservedBlocks);
      output[(number % samples) * parameters + parameter] = draw(stream);
    }
  }
}

/**
 * Converts numbers to a tensor of any real dtype. For an integer dtype, fractions are truncated, NaN becomes 0, and
 * values above the range become its largest value.
 * @throws TensorFlowError RESOURCE_EXHAUSTED
 */
export function tensorOfNumbers(dtype: DType, shape: readonly number[], numbers: Float64Array): Tensor {
  if (isSmallFloat(dtype)) {
    return fromFloat32(dtype, new Tensor("float32", shape, new Float32Array(numbers)));
  }
  const largest = integerRange(dtype)?.max;
  const limit = Number(largest ?? Infinity);
  // Loops over indexes, since there may be millions and `entries` allocates an object for each.
  if (dtype === "int64") {
    const output = newLongs(dtype, shape);
    for (let index = 0; index < numbers.length; index += 1) {
      const number = numbers[index] as number;
      output[index] = number >= limit ? (largest ?? 0n) : BigInt(Math.trunc(number) || 0);
    }
    return new Tensor(dtype, shape, output);
  }
  const output = newNumbers(dtype, shape);
  for (let index = 0; index < numbers.length; index += 1) {
    output[index] = Math.min(numbers[index] as number, limit);
  }
  return new Tensor(dtype, shape, output);
}
