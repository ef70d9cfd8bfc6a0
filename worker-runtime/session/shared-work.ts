import type { CancellationSignal } from "../cancellation/cancellation-signal.js";
import { unlessAborted } from "../cancellation/unless-aborted.js";
import { cancelledBy } from "../protocol/status.js";

/** Work that several callers wait for. It is cancelled when the last of them has left. */
export class SharedWork<T> {
  readonly #controller = new AbortController();
  readonly #what: string;
  readonly #promise: Promise<T>;
  #waiting = 0;
  #isSettled = false;

  /** @param what names the work in messages: "Creating the session". */
  constructor(what: string, work: (signal: AbortSignal) => Promise<T>) {
    this.#what = what;
    const settled = (): void => {
      this.#isSettled = true;
    };
    this.#promise = work(this.#controller.signal);
    this.#promise.then(settled, settled);
  }

  /** True once it was cancelled: new callers must start over. */
  get isCancelled(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Waits for the result, or until the caller's own signal is aborted. */
  async join(signal: CancellationSignal): Promise<T> {
    this.#waiting += 1;
    try {
      return await unlessAborted(this.#promise, signal, () => cancelledBy(signal.reason, this.#what));
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0 && !this.#isSettled) {
        this.#controller.abort(cancelledBy(signal.reason, this.#what));
      }
    }
  }

  /** Resolves when the work has ended, whether it succeeded or failed. */
  async ended(): Promise<void> {
    await this.#promise.catch(() => undefined);
  }
}
