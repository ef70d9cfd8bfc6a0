import { aborted } from "../../../protocol/status.js";

/**
 * Number of ids that are remembered, as in TensorFlow's recent_request_ids.h: at a few hundred calls a second this
 * covers minutes, longer than any transport retries a call.
 */
const DEFAULT_CAPACITY = 100_000;

/**
 * Detects a request that was received twice. A transport may retry a call whose answer was lost; a repeated RecvTensor
 * would wait forever, as the value is delivered once, and a repeated RunGraph would run a step a second time. Ids are
 * random 64-bit numbers; 0 stands for a caller without an id and is never refused.
 *
 * Unlike in TensorFlow, only a request for the same step is a repeated one. A TensorFlow master runs each step on a new
 * thread, whose generator of ids is seeded with 32 bits (request_id.cc; tsl/platform/random.cc): among 100,000 remembered
 * ids, one of 43,000 steps has an id that is there by chance. The ids of steps are from another generator.
 */
export class RecentRequestIds {
  /** The step of each id. */
  readonly #seen = new Map<bigint, bigint>();
  /** The same ids in the order of their arrival; a ring. */
  readonly #order: bigint[] = [];
  readonly #capacity: number;
  #next = 0;

  constructor(capacity = DEFAULT_CAPACITY) {
    this.#capacity = capacity;
  }

  /**
   * Records the id of a request for a step.
   *
   * @param what the method as in TensorFlow's error text, "RecvTensor (GrpcWorker)".
   * @param request describes the request for people.
   * @throws TensorFlowError ABORTED when it was recorded for this step before.
   */
  track(id: bigint, stepId: bigint, what: string, request: () => string): void {
    if (id === 0n) {
      return;
    }
    const known = this.#seen.get(id);
    if (known === stepId) {
      throw aborted(`The same ${what} request was received twice. ${request()}`);
    }
    if (known !== undefined) {
      this.#seen.set(id, stepId);
      return;
    }
    const oldest = this.#order[this.#next];
    if (oldest !== undefined) {
      this.#seen.delete(oldest);
    }
    this.#order[this.#next] = id;
    this.#seen.set(id, stepId);
    this.#next = (this.#next + 1) % this.#capacity;
  }
}
