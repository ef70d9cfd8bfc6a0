import { totalmem } from "node:os";
import { resourceExhausted } from "../../../../protocol/status.js";
import { MAX_MESSAGE_BYTES } from "../receiving/message-limits.js";

/** The limits of one server. */
export interface ServiceLimits {
  /** Largest message, in bytes. */
  readonly maxMessageBytes: number;
  /**
   * Maximum number of waiting or running calls; further ones are refused. A task may wait for as many tensors as its
   * graph has edges.
   */
  readonly maxCalls: number;
  /** Maximum total bytes of the requests of those calls. */
  readonly maxRequestBytes: number;
}

const MAX_CALLS = 100_000;

export function defaultLimits(): ServiceLimits {
  return {
    maxMessageBytes: MAX_MESSAGE_BYTES,
    maxCalls: MAX_CALLS,
    maxRequestBytes: Math.max(MAX_MESSAGE_BYTES, Math.floor(totalmem() / 2)),
  };
}

/** Counts the calls in progress and refuses those that exceed the limits. */
export class CallLedger {
  readonly #limits: ServiceLimits;
  #calls = 0;
  #bytes = 0;

  constructor(limits: ServiceLimits) {
    this.#limits = limits;
  }

  /** Calls in progress. */
  get calls(): number {
    return this.#calls;
  }

  /** Registers a call; `leave` with the same number unregisters it. @throws TensorFlowError RESOURCE_EXHAUSTED */
  enter(requestBytes: number): void {
    const { maxCalls, maxRequestBytes } = this.#limits;
    if (this.#calls >= maxCalls) {
      throw resourceExhausted(`This task has ${maxCalls} calls in progress and accepts no more.`);
    }
    if (this.#calls > 0 && this.#bytes + requestBytes > maxRequestBytes) {
      throw resourceExhausted(
        `The requests in progress take ${this.#bytes} bytes; ${requestBytes} more would exceed the limit of ` +
          `${maxRequestBytes}.`,
      );
    }
    this.#calls += 1;
    this.#bytes += requestBytes;
  }

  leave(requestBytes: number): void {
    this.#calls -= 1;
    this.#bytes -= requestBytes;
  }
}
