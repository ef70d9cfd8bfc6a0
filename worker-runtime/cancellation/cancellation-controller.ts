import type { CancellationSignal } from "./cancellation-signal.js";

let sharedReason: DOMException | undefined;

/** The default reason of an AbortController; shared, since its stack trace would be of no use. */
function noReason(): DOMException {
  sharedReason ??= new DOMException("This operation was aborted", "AbortError");
  return sharedReason;
}

/** Calls its listeners once, in the order in which they were added. */
class LightSignal implements CancellationSignal {
  #listeners: Set<() => void> | undefined;
  #aborted = false;
  #reason: unknown;

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  throwIfAborted(): void {
    if (this.#aborted) {
      throw this.#reason;
    }
  }

  addEventListener(_type: "abort", listener: () => void): void {
    if (!this.#aborted) {
      this.#listeners ??= new Set();
      this.#listeners.add(listener);
    }
  }

  removeEventListener(_type: "abort", listener: () => void): void {
    this.#listeners?.delete(listener);
  }

  /** Called by the controller only. */
  abort(reason: unknown): void {
    if (this.#aborted) {
      return;
    }
    this.#aborted = true;
    this.#reason = reason;
    for (const listener of this.#listeners ?? []) {
      try {
        listener();
      } catch (error) {
        // As with an EventTarget, the other listeners are still called, and the error becomes an uncaught exception.
        process.nextTick(() => {
          throw error;
        });
      }
    }
    this.#listeners = undefined;
  }
}

/**
 * An AbortController for the engine's calls and steps, which costs almost nothing if it is not used. Node creates an
 * EventTarget for every AbortController, and a DOMException with a stack trace for every abort without a reason: with five
 * or six controllers per step, that took a seventh of the time of a small step.
 */
export class CancellationController {
  readonly #signal = new LightSignal();

  get signal(): CancellationSignal {
    return this.#signal;
  }

  /** @param reason defaults to an AbortError. */
  abort(reason?: unknown): void {
    this.#signal.abort(reason ?? noReason());
  }

  /**
   * Is aborted when the signal is, from now on and until the returned function is called.
   *
   * @param reason called at that moment; the signal's own unless given.
   */
  follow(signal: CancellationSignal | undefined, reason = (): unknown => signal?.reason): () => void {
    const abort = (): void => this.abort(reason());
    if (signal?.aborted) {
      abort();
    } else {
      signal?.addEventListener("abort", abort, { once: true });
    }
    return () => signal?.removeEventListener("abort", abort);
  }
}
