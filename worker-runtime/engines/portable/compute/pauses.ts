import { setImmediate } from "node:timers/promises";

/** Work in small pieces: it yields wherever the thread may do something else before it goes on. */
export type PausingWork<T> = Generator<void, T>;

/** So long the work may hold up the thread that answers gRPC. */
const TURN_MILLIS = 4;

/** Does the work without a pause: for threads that nobody waits for. */
export function withoutPauses<T>(work: PausingWork<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) {
      return value;
    }
  }
}

/** Does the work and lets the event loop go round every few milliseconds. Short work is done when this returns. */
export async function withPauses<T>(work: PausingWork<T>): Promise<T> {
  let turnEnd = performance.now() + TURN_MILLIS;
  for (;;) {
    const { done, value } = work.next();
    if (done === true) {
      return value;
    }
    if (performance.now() >= turnEnd) {
      await setImmediate();
      turnEnd = performance.now() + TURN_MILLIS;
    }
  }
}
