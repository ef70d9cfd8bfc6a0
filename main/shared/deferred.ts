/** A promise that is resolved or rejected from outside. */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

export function deferred<T>(): Deferred<T> {
  let ends: Pick<Deferred<T>, "resolve" | "reject"> | undefined;
  const promise = new Promise<T>((resolve, reject) => {
    ends = { resolve, reject };
  });
  return {
    promise,
    resolve: (value) => ends?.resolve(value),
    reject: (reason) => ends?.reject(reason),
  };
}

/** Resolves after the time, or at once when the signal is aborted. */
export function delay(millis: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, millis);
    signal?.addEventListener("abort", end, { once: true });
  });
}

/**
 * Settles like a promise, or rejects with the signal's reason once that is aborted: for work that cannot be cancelled
 * itself. Its outcome is then dropped.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}
