import { cancelledBy } from "../protocol/status.js";

/** Waits, unless the signal is aborted. @throws TensorFlowError CANCELLED (or the signal's reason, if it is one). */
export function delay(millis: number, signal: AbortSignal | undefined, what: string): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(cancelledBy(signal.reason, what));
      return;
    }
    const stop = (): void => {
      clearTimeout(timer);
      reject(cancelledBy(signal?.reason, what));
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, millis);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** The promise's result, or CANCELLED as soon as the signal is aborted; the underlying work continues. */
export function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined, what: string): Promise<T> {
  if (signal === undefined) {
    return promise;
  }
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(cancelledBy(signal.reason, what));
    if (signal.aborted) {
      stop();
      return;
    }
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

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
  async join(signal: AbortSignal): Promise<T> {
    this.#waiting += 1;
    try {
      return await orAborted(this.#promise, signal, this.#what);
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
