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
 */
export class RecentRequestIds {
  readonly #seen = new Set<bigint>();
  /** The same ids in the order of their arrival; a ring. */
  readonly #order: bigint[] = [];
  readonly #capacity: number;
  #next = 0;

  constructor(capacity = DEFAULT_CAPACITY) {
    this.#capacity = capacity;
  }

  /**
   * Records an id.
   *
   * @param what the method as in TensorFlow's error text, "RecvTensor (GrpcWorker)".
   * @param request describes the request for people.
   * @throws TensorFlowError ABORTED when it was recorded before.
   */
  track(id: bigint, what: string, request: () => string): void {
    if (id === 0n) {
      return;
    }
    if (this.#seen.has(id)) {
      throw aborted(`The same ${what} request was received twice. ${request()}`);
    }
    const oldest = this.#order[this.#next];
    if (oldest !== undefined) {
      this.#seen.delete(oldest);
    }
    this.#order[this.#next] = id;
    this.#seen.add(id);
    this.#next = (this.#next + 1) % this.#capacity;
  }
}
