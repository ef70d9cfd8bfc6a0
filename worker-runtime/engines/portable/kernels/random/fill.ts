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
 * Does a long piece of work in turns of a few milliseconds, a short one at once.
 * @param count how many parts the work has.
 * @param perTurn how many of them are done in a turn.
 * @param run does the parts from `first` up to, not including, `end`.
 * @param signal ends the work between two turns, with its reason.
 * @returns what `result` gives once all is done.
 */
export function inTurns<T>(
  count: number,
  perTurn: number,
  run: (first: number, end: number) => void,
  signal: AbortSignal,
  result: () => T,
): T | Promise<T> {
  if (count <= perTurn) {
    run(0, count);
    return result();
  }
  return (async () => {
    for (let first = 0; first < count; first += perTurn) {
      run(first, Math.min(count, first + perTurn));
      await setImmediate();
      signal.throwIfAborted();
    }
    return result();
  })();
}

/** As `fillTensor`, in turns: the only output of an op. */
export function fillTensorInTurns(
  dtype: DType,
  shape: readonly number[],
  distribution: Distribution,
  stream: Philox,
  signal: AbortSignal,
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
