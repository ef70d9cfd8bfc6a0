import { aborted } from "../../../protocol/status.js";

/**
 * How many ids are remembered, as in TensorFlow's recent_request_ids.h: at some hundred calls a second it is minutes,
 * longer than any transport repeats a call.
 */
const DEFAULT_CAPACITY = 100_000;

/**
 * Tells a request that was received twice. A transport may repeat a call whose answer was lost; a repeated RecvTensor
 * would wait for ever, as the value is handed out once, and a repeated RunGraph would run a step a second time.
 * Ids are random 64-bit numbers; 0 stands for a caller that has none and is never refused.
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
   * Notes an id.
   * @param what the method as TensorFlow's text has it, "RecvTensor (GrpcWorker)".
   * @param request describes the request for people.
   * @throws TensorFlowError ABORTED when it was noted before.
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
