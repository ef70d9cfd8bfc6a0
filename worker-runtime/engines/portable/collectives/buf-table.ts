import { aborted, resourceExhausted, type TensorFlowError } from "../../../protocol/status.js";
import { BufRendezvous } from "./buf-rendezvous.js";

/** Maximum number of concurrent steps with collectives. */
const MAX_STEPS = 10_000;

/** Number of failed steps that are remembered; members of one step end within seconds of each other. */
const REMEMBERED_FAILURES = 1_000;

/**
 * The buffer rendezvous of the steps of this task, by step id. Created by the first user: the step itself, or a request
 * of another task. If a step has failed here, others of the same step get that error rather than wait forever;
 * successful steps are not remembered, as masters that share a graph key may use an id a second time.
 */
export class BufTable {
  readonly #steps = new Map<bigint, { readonly buffers: BufRendezvous; runs: number }>();
  readonly #failed = new Map<bigint, TensorFlowError>();

  /** Steps that have a rendezvous. */
  get size(): number {
    return this.#steps.size;
  }

  /** A new rendezvous for a step that runs here now; an earlier one of the same id is forgotten. */
  begin(stepId: bigint): BufRendezvous {
    this.#failed.delete(stepId);
    const step = this.#get(stepId);
    step.runs += 1;
    return step.buffers;
  }

  /**
   * The rendezvous for a request of another task.
   * @throws TensorFlowError ABORTED for a step that failed here, with its error; RESOURCE_EXHAUSTED.
   */
  of(stepId: bigint): BufRendezvous {
    const failure = this.#failed.get(stepId);
    if (failure !== undefined) {
      throw aborted(`Step ${stepId} has failed on this task: ${failure.message}`, {
        payloads: failure.payloads,
      });
    }
    return this.#get(stepId).buffers;
  }

  /** Ends the waits for what a step would have sent. */
  fail(stepId: bigint, error: TensorFlowError): void {
    this.#steps.get(stepId)?.buffers.abort(error);
    this.#failed.set(stepId, error);
    if (this.#failed.size > REMEMBERED_FAILURES) {
      for (const oldest of this.#failed.keys()) {
        this.#failed.delete(oldest);
        break;
      }
    }
  }

  /** Drops a step with everything that is still on offer. */
  end(stepId: bigint, reason: () => TensorFlowError): void {
    const step = this.#steps.get(stepId);
    this.#steps.delete(stepId);
    if (step !== undefined && !step.buffers.isIdle) {
      step.buffers.abort(reason());
    }
  }

  /** Drops a rendezvous that was created only by a caller that is gone. */
  releaseUnused(stepId: bigint): void {
    const step = this.#steps.get(stepId);
    if (step?.runs === 0 && step.buffers.isIdle) {
      this.#steps.delete(stepId);
    }
  }

  /** Ends all waits. */
  close(reason: () => TensorFlowError): void {
    for (const stepId of [...this.#steps.keys()]) {
      this.end(stepId, reason);
    }
  }

  #get(stepId: bigint): { readonly buffers: BufRendezvous; runs: number } {
    const known = this.#steps.get(stepId);
    if (known !== undefined) {
      return known;
    }
    if (this.#steps.size >= MAX_STEPS) {
      throw resourceExhausted(
        `${MAX_STEPS} steps with collectives were begun on this task and not cleaned up.`,
      );
    }
    const made = { buffers: new BufRendezvous(), runs: 0 };
    this.#steps.set(stepId, made);
    return made;
  }
}
