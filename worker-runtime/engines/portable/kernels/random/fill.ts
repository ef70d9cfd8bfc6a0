import { setImmediate } from "node:timers/promises";
import type { DType } from "../../../../protocol/dtype.js";
import { internalError, invalidArgument } from "../../../../protocol/status.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { isByteList } from "../../../../protocol/tensor-data.js";
import { allocate } from "../support/allocation.js";
import { integersOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";
import type { Distribution, RandomArray } from "./distributions.js";
import type { Philox } from "./philox.js";

/** Elements of one turn: some five milliseconds. Between turns other work of the thread gets its chance. */
const ELEMENTS_PER_TURN = 32 * 1024;

/** The sizes in a tensor that says which shape to make. @throws TensorFlowError INVALID_ARGUMENT */
export function shapeOf(tensor: Tensor): number[] {
  if (tensor.shape.length !== 1) {
    throw invalidArgument(`shape must be a vector of {int32,int64}, got shape ${cppShapeText(tensor.shape)}`);
  }
  return integersOf(tensor);
}

/** A tensor of random numbers, made at once: for threads that nobody waits for. */
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

/**
 * As `fillTensor`, in turns of a few milliseconds where the tensor is large.
 * @param signal ends the work between two turns, with its reason.
 */
export function fillTensorInTurns(
  dtype: DType,
  shape: readonly number[],
  distribution: Distribution,
  stream: Philox,
  signal: AbortSignal,
): Tensor | Promise<Tensor> {
  const output = newRandomArray(dtype, shape);
  const groups = Math.ceil(output.length / distribution.groupSize);
  const groupsPerTurn = ELEMENTS_PER_TURN / distribution.groupSize;
  if (groups <= groupsPerTurn) {
    distribution.fill(stream, output, 0, groups);
    return new Tensor(dtype, shape, output);
  }
  return (async () => {
    for (let first = 0; first < groups; first += groupsPerTurn) {
      distribution.fill(stream, output, first, Math.min(groups, first + groupsPerTurn));
      await setImmediate();
      signal.throwIfAborted();
    }
    return new Tensor(dtype, shape, output);
  })();
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
