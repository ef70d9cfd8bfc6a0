import type { CancellationSignal } from "../../../../cancellation/cancellation-signal.js";
import type { DType } from "../../../../protocol/dtype.js";
import { internalError, invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isByteList } from "../../../../protocol/tensor-data.js";
import { allocate } from "../support/allocation.js";
import { integersOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import { inTurns } from "../support/turns.js";
import type { Distribution, RandomArray } from "./distributions.js";
import type { Philox } from "./philox.js";

/** Elements per turn: about five milliseconds. Between turns the thread can do other work. */
const ELEMENTS_PER_TURN = 32 * 1024;

/** The shape held in a tensor. @throws TensorFlowError INVALID_ARGUMENT */
export function shapeOf(tensor: Tensor): number[] {
  if (tensor.shape.length !== 1 || (tensor.dtype !== "int32" && tensor.dtype !== "int64")) {
    throw invalidArgument(
      `shape must be a vector of {int32,int64}, got shape ${cppShapeText(tensor.shape)} of ${tensor.dtype}`,
    );
  }
  return integersOf(tensor);
}

/** A tensor of random numbers, computed at once: for threads that serve no requests. */
export function fillTensor(
  dtype: DType,
  shape: readonly number[],
  distribution: Distribution,
  stream: Philox,
): Tensor {
  const output = newRandomArray(dtype, shape);
  distribution.fill(stream, output, 0, Math.ceil(output.length / distribution.groupSize));
  return new Tensor(dtype, shape, output);
}

/** Like `fillTensor`, but in turns: the only output of an op. */
export function fillTensorInTurns(
  dtype: DType,
  shape: readonly number[],
  distribution: Distribution,
  stream: Philox,
  signal: CancellationSignal,
): readonly Tensor[] | Promise<readonly Tensor[]> {
  const output = newRandomArray(dtype, shape);
  return inTurns(
    Math.ceil(output.length / distribution.groupSize),
    ELEMENTS_PER_TURN / distribution.groupSize,
    (first, end) => distribution.fill(stream, output, first, end),
    signal,
    () => [new Tensor(dtype, shape, output)],
  );
}

function newRandomArray(dtype: DType, shape: readonly number[]): RandomArray {
  const data = allocate(dtype, shape);
  if (
    isByteList(data) ||
    data instanceof Int8Array ||
    data instanceof Uint8Array ||
    data instanceof Int16Array
  ) {
    throw internalError(`There are no random numbers of dtype ${dtype}.`);
  }
  return data;
}
