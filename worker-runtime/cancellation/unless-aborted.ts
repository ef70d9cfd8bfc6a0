import type { CancellationSignal } from "./cancellation-signal.js";

/**
 * Settles like a promise, or rejects once the signal is aborted: for work that cannot be cancelled itself. Its outcome is
 * then dropped, a rejection as well.
 *
 * @param reason what it rejects with, called at that moment; the signal's reason unless given.
 */
export function unlessAborted<T>(
  work: Promise<T>,
  signal: CancellationSignal | undefined,
  reason = (): unknown => signal?.reason,
): Promise<T> {
  if (signal === undefined) {
    return work;
  }
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(reason());
    if (signal.aborted) {
      abort();
    } else {
      signal.addEventListener("abort", abort, { once: true });
    }
    work.then(
      (value) => {
        signal.removeEventListener("abort", abort);
        resolve(value);
      },
      (error: unknown) => {
        signal.removeEventListener("abort", abort);
        reject(error);
      },
    );
  });
}
