import type { AllocatorMemoryUsed } from "../../../../protos/generated/tensorflow/step_stats.js";
import { isDistant, Tensor } from "../../../protocol/tensor.js";
import { isByteList } from "../../../protocol/tensor-data.js";
import { opsWithoutAllocation } from "../kernels/support/without-allocation.js";
import { RefValue, type Value } from "../values.js";

type MaybeValue = Value | undefined;

/** The memory of values that a node made: from when it began to the end of the last node that took them. */
export interface Allocation {
  readonly bytes: number;
  readonly fromMillis: number;
  untilMillis: number;
}

/**
 * Which memory the nodes of a step allocated and how long it was used. Memory counts once, whatever tensors share it.
 * Nothing is kept alive here.
 */
export class AllocationLog {
  readonly #known = new WeakMap<object, Allocation>();

  /**
   * A node has run. Times are those of `performance.now()`.
   * @returns the memory of outputs that no value known before has
   */
  ran(
    op: string,
    inputs: readonly MaybeValue[],
    outputs: readonly MaybeValue[],
    startMillis: number,
    endMillis: number,
  ): readonly Allocation[] {
    for (const input of inputs) {
      const key = keyOf(input);
      const known = key && this.#known.get(key);
      if (known) known.untilMillis = Math.max(known.untilMillis, endMillis);
      // A value from elsewhere: what shares its memory is no allocation.
      else if (key) this.#known.set(key, { bytes: 0, fromMillis: startMillis, untilMillis: endMillis });
    }
    if (opsWithoutAllocation.has(op)) return [];
    const made: Allocation[] = [];
    for (const output of outputs) {
      const key = output instanceof Tensor ? keyOf(output) : undefined;
      if (key === undefined || this.#known.has(key) || !(output instanceof Tensor)) continue;
      const allocation = { bytes: output.byteLength, fromMillis: startMillis, untilMillis: endMillis };
      this.#known.set(key, allocation);
      if (allocation.bytes > 0) made.push(allocation);
    }
    return made;
  }
}

/** The identity of a value's memory. */
function keyOf(value: MaybeValue): object | undefined {
  const held = value instanceof RefValue ? value.cell.value : value;
  if (!(held instanceof Tensor)) return undefined;
  if (isDistant(held)) return held;
  return isByteList(held.data) ? held.data : held.data.buffer;
}

/**
 * A node's allocations as TensorFlow records them.
 * @param microsAt converts a time of `performance.now()` to microseconds since 1970
 */
export function allocatorMemory(
  allocations: readonly Allocation[],
  allocatorName: string,
  microsAt: (millis: number) => bigint,
): AllocatorMemoryUsed[] {
  if (allocations.length === 0) return [];
  const bytes = BigInt(allocations.reduce((sum, allocation) => sum + allocation.bytes, 0));
  return [
    {
      allocatorName,
      totalBytes: bytes,
      peakBytes: bytes,
      // Outputs live on when the node has ended.
      liveBytes: bytes,
      allocatorBytesInUse: 0n,
      allocationRecords: allocations.flatMap(({ bytes: size, fromMillis, untilMillis }) => [
        { allocMicros: microsAt(fromMillis), allocBytes: BigInt(size) },
        { allocMicros: microsAt(untilMillis), allocBytes: BigInt(-size) },
      ]),
    },
  ];
}
