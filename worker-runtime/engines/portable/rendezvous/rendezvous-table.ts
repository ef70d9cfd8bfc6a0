import { aborted, resourceExhausted, type TensorFlowError } from "../../../protocol/status.js";
import { StepRendezvous } from "./step-rendezvous.js";

/** Maximum number of steps. Each is cleaned up by its master; a master that never does must not fill the memory. */
const MAX_STEPS = 100_000;

/** Number of ended steps that are remembered; calls that overtake each other are at most seconds apart. */
const REMEMBERED_STEPS = 10_000;

/**
 * The rendezvous of every step that this task takes part in, by step id.
 *
 * Calls of one step come from several tasks and overtake each other, so a rendezvous is created by the first call: the
 * master's RunGraph, or another task's RecvTensor. CleanupGraph may come first, too, when another partition failed at
 * once; later calls must fail rather than wait forever, so ended steps are remembered for a while.
 */
export class RendezvousTable {
  readonly #steps = new Map<bigint, StepRendezvous>();
  /** In the order in which they ended. */
  readonly #ended = new Set<bigint>();

  /** Steps that have a rendezvous now. */
  get size(): number {
    return this.#steps.size;
  }

  /**
   * The rendezvous of a step, created if missing.
   *
   * @throws TensorFlowError ABORTED for a step that has ended, RESOURCE_EXHAUSTED if too many were never ended.
   */
  get(stepId: bigint): StepRendezvous {
    const found = this.#steps.get(stepId);
    if (found !== undefined) {
      return found;
    }
    if (this.#ended.has(stepId)) {
      throw endedError(stepId);
    }
    if (this.#steps.size >= MAX_STEPS) {
      throw resourceExhausted(`${MAX_STEPS} steps were begun on this task and not cleaned up.`);
    }
    const made = new StepRendezvous();
    this.#steps.set(stepId, made);
    return made;
  }

  /**
   * Drops a step with everything sent in it. Unknown steps are ignored.
   *
   * @param reason creates the error for pending waits; called only if there are any, as an error costs more than all
   *   the rest.
   * @param mayComeAgain whether another step may have the same id, so that later calls are not refused.
   */
  end(stepId: bigint, reason: () => TensorFlowError = () => endedError(stepId), mayComeAgain = false): void {
    const step = this.#steps.get(stepId);
    if (step !== undefined && !step.isIdle) {
      step.abort(reason());
    }
    this.#steps.delete(stepId);
    if (mayComeAgain) {
      return;
    }
    this.#ended.add(stepId);
    if (this.#ended.size > REMEMBERED_STEPS) {
      for (const oldest of this.#ended) {
        this.#ended.delete(oldest);
        break;
      }
    }
  }

  /**
   * Drops a rendezvous that was created only by a caller that is gone: no step of this task uses it, nothing was sent
   * and nothing else waits. Otherwise the calls of a task whose master died would stay forever.
   */
  releaseUnused(stepId: bigint): void {
    const step = this.#steps.get(stepId);
    if (step !== undefined && !step.isAttached && step.isIdle) {
      this.#steps.delete(stepId);
    }
  }
}

function endedError(stepId: bigint): TensorFlowError {
  return aborted(`Step ${stepId} has ended on this task.`);
}
