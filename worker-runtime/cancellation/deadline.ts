import { MAX_TIMER_MILLIS } from "../timers.js";
import { LinkedAbortController } from "./linked-abort-controller.js";
import type { Ends } from "./shared-signal.js";

/**
 * As `withSharedSignal`, with a signal that is also aborted after a time, with a TimeoutError. The timer is held until the
 * work is over and stops then. It does not keep the process alive: what the work waits for does.
 */
export async function withDeadline<T>(
  millis: number,
  ends: Ends,
  work: (shared: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new LinkedAbortController(...[ends].flat());
  const late = (): void =>
    controller.abort(new DOMException(`It took longer than ${millis} ms.`, "TimeoutError"));
  const timer = setTimeout(late, Math.min(millis, MAX_TIMER_MILLIS)).unref();
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}
