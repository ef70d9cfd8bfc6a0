import { itemSize } from "../../../protocol/dtype.js";
import { elementsOfShape } from "../../../protocol/shape.js";
import type { Tensor } from "../../../protocol/tensor.js";
import { memoryBudget } from "../kernels/support/memory-budget.js";
import { bytesOf } from "./bytes-of.js";
import type { Recording } from "./known-values.js";
import type { RegionMember } from "./region-outline.js";
import { runtimeMemory } from "./runtime-memory.js";

/** Runs that take less are not checked: to ask the system takes longer than some of them. */
const MIN_CHECKED_BYTES = 2 ** 24;

/** The sizes of a session's tensors in the run by kernels for which it was made. */
export interface RecordedSizes {
  /** The elements of its inputs together. */
  readonly inputElements: number;
  /** The bytes of all that its nodes compute. */
  readonly computedBytes: number;
  /** The most of these bytes that are needed at a time: what an arena keeps. */
  readonly peakBytes: number;
}

/**
 * @param members sorted such that each comes after those that it uses.
 * @param inputs the slots of the session's inputs.
 * @param outputs those of its outputs.
 */
export function recordedSizes(
  { shapes }: Pick<Recording, "shapes">,
  members: readonly RegionMember[],
  inputs: readonly number[],
  outputs: readonly number[],
): RecordedSizes {
  const sizeOf = (slot: number) => elementsOfShape(shapes[slot] ?? []);
  const lastUses = new Map<number, number>();
  for (const [index, member] of members.entries()) {
    for (const slot of [...member.inputs, ...member.outputs]) {
      lastUses.set(slot, index);
    }
  }
  for (const slot of outputs) {
    lastUses.set(slot, members.length);
  }
  const made = new Map<number, number>();
  let computedBytes = 0;
  let liveBytes = 0;
  let peakBytes = 0;
  for (const [index, { node, inputs: used, outputs: results }] of members.entries()) {
    for (const [output, slot] of results.entries()) {
      const bytes = sizeOf(slot) * itemSize(node.outputDtypes[output] ?? "float32");
      made.set(slot, bytes);
      computedBytes += bytes;
      liveBytes += bytes;
    }
    peakBytes = Math.max(peakBytes, liveBytes);
    for (const slot of new Set([...used, ...results])) {
      liveBytes -= lastUses.get(slot) === index ? (made.get(slot) ?? 0) : 0;
    }
  }
  return { inputElements: inputs.reduce((sum, slot) => sum + sizeOf(slot), 0), computedBytes, peakBytes };
}

/**
 * The memory that a run of a session is expected to take, and to leave in its arena: as in the recorded run, in proportion to
 * the inputs. A session frees some of the former before it ends.
 */
export function sizesOfRun(
  { inputElements, computedBytes, peakBytes }: RecordedSizes,
  inputs: readonly Tensor[],
): Pick<RecordedSizes, "computedBytes" | "peakBytes"> {
  const elements = inputs.reduce((sum, { size }) => sum + size, 0);
  const scale = Math.max(1, elements / Math.max(1, inputElements));
  return { computedBytes: computedBytes * scale, peakBytes: peakBytes * scale };
}

/**
 * Asks for the memory of a run of a session. ONNX Runtime allocates without asking, and the system ends a process that takes
 * more than its container has; kernels check each tensor.
 * @param computedBytes what the run is expected to take besides copies of its inputs.
 * @returns gives it back; undefined if there is none.
 */
export function reserveForRun(computedBytes: number, inputs: readonly Tensor[]): (() => void) | undefined {
  if (computedBytes < MIN_CHECKED_BYTES) {
    return () => undefined;
  }
  if (!memoryBudget.hasRoomNow(computedBytes + bytesOf(inputs))) {
    return undefined;
  }
  runtimeMemory.take(computedBytes);
  let isTaken = true;
  return () => {
    if (isTaken) {
      isTaken = false;
      runtimeMemory.give(computedBytes);
    }
  };
}
