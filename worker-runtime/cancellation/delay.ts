import type { CancellationSignal } from "./cancellation-signal.js";

/** Resolves after the time, or at once when the signal is aborted. */
export function delay(millis: number, signal?: CancellationSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, millis);
    signal?.addEventListener("abort", end, { once: true });
  });
}
