import { itemSize } from "../../../protocol/dtype.js";
import { elementsOfShape } from "../../../protocol/shape.js";
import type { Tensor } from "../../../protocol/tensor.js";
import { memoryBudget } from "../kernels/support/memory-budget.js";
import type { Recording } from "./known-values.js";
import type { RegionMember } from "./region-outline.js";

/** Runs that take less are not checked: to ask the system takes longer than some of them. */
const MIN_CHECKED_BYTES = 2 ** 24;

/** The sizes of a session's tensors in the run by kernels for which it was made. */
export interface RecordedSizes {
  /** The elements of its inputs together. */
  readonly inputElements: number;
  /** The bytes of all that its nodes compute. */
  readonly computedBytes: number;
}

/** @param inputs the slots of the session's inputs. */
export function recordedSizes(
  { shapes }: Pick<Recording, "shapes">,
  members: readonly RegionMember[],
  inputs: readonly number[],
): RecordedSizes {
  const sizeOf = (slot: number) => elementsOfShape(shapes[slot] ?? []);
  return {
    inputElements: inputs.reduce((sum, slot) => sum + sizeOf(slot), 0),
    computedBytes: members
      .flatMap(({ node: { outputDtypes }, outputs }) =>
        outputs.map((slot, index) => sizeOf(slot) * itemSize(outputDtypes[index] ?? "float32")),
      )
      .reduce((sum, bytes) => sum + bytes, 0),
  };
}

/**
 * Asks whether there is memory for a run of a session. ONNX Runtime allocates without asking, and the system ends a process that
 * takes more than its container has; kernels check each tensor. The estimate is what the nodes computed in the recorded run,
 * in proportion to the inputs: a session frees some of that before it ends.
 */
export function hasRoomForRun(
  { inputElements, computedBytes }: RecordedSizes,
  inputs: readonly Tensor[],
): boolean {
  const elements = inputs.reduce((sum, { size }) => sum + size, 0);
  const bytes = computedBytes * Math.max(1, elements / Math.max(1, inputElements));
  return bytes < MIN_CHECKED_BYTES || memoryBudget.hasRoomNow(bytes);
}
