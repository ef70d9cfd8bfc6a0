/**
 * Cancellation that costs almost nothing if it is not used. Node creates an EventTarget for every AbortController, and a
 * DOMException with a stack trace for every abort without a reason: with five or six controllers per step, that took a
 * seventh of the time of a small step.
 */
type AbortListener = Parameters<AbortSignal["addEventListener"]>[1];

let sharedReason: DOMException | undefined;

/** The default reason of an AbortController; shared, since its stack trace would be of no use. */
function noReason(): DOMException {
  sharedReason ??= new DOMException("This operation was aborted", "AbortError");
  return sharedReason;
}

/**
 * The part of AbortSignal that this project and Node's file functions use. `abort` is the only event; its listeners are
 * called once, in the order in which they were added. It is not an EventTarget, so `AbortSignal.any` and `fetch` do not
 * accept it.
 */
class LightAbortSignal implements AbortSignal {
  onabort: AbortSignal["onabort"] = null;
  #listeners: Set<AbortListener> | undefined;
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

  /** As with an EventTarget, a listener is added only once, and one that is added after the abort is never called. */
  addEventListener(type: string, listener: AbortListener | null): void {
    if (type === "abort" && listener !== null && !this.#aborted) {
      this.#listeners ??= new Set();
      this.#listeners.add(listener);
    }
  }

  removeEventListener(type: string, listener: AbortListener | null): void {
    if (type === "abort" && listener !== null) {
      this.#listeners?.delete(listener);
    }
  }

  /** Calls the listeners; it does not abort the signal, which only the controller does. */
  dispatchEvent(event: Event): boolean {
    if (event.type === "abort") {
      this.#notify(event);
    }
    return true;
  }

  /** Called by the controller only. */
  abort(reason: unknown): void {
    if (this.#aborted) {
      return;
    }
    this.#aborted = true;
    this.#reason = reason;
    if (this.#listeners !== undefined || this.onabort !== null) {
      this.#notify(new Event("abort"));
      this.#listeners = undefined;
    }
  }

  #notify(event: Event): void {
    this.onabort?.call(this, event);
    for (const listener of this.#listeners ?? []) {
      try {
        if (typeof listener === "function") {
          listener.call(this, event);
        } else {
          listener.handleEvent(event);
        }
      } catch (error) {
        // As with an EventTarget, the other listeners are still called, and the error becomes an uncaught exception.
        process.nextTick(() => {
          throw error;
        });
      }
    }
  }
}

/** A replacement for Node's AbortController where one is created for every call or step. */
export class LightAbortController {
  readonly #signal = new LightAbortSignal();

  get signal(): AbortSignal {
    return this.#signal;
  }

  /** @param reason defaults to an AbortError. */
  abort(reason?: unknown): void {
    this.#signal.abort(reason ?? noReason());
  }
}
