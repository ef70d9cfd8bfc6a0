import { cancelledBy } from "../../protocol/status.js";

/** Somebody who waits for a turn. The signal is asked for only where there is something to wait for. */
export interface Waiter {
  readonly signal: AbortSignal;
}

/** Lets one act at a time work on something, in the order in which they came: a lock, for acts that take turns. */
export class ExclusiveAccess {
  /** Ends with the last act that is under way or waits. */
  #busy: Promise<unknown> | undefined;

  /** Whether an act is under way or waits. */
  get isBusy(): boolean {
    return this.#busy !== undefined;
  }

  /**
   * Acts at once where nobody else does, otherwise after those that came before.
   * @param waiter its signal ends the wait; the act itself has to heed it once it has begun.
   * @throws TensorFlowError the signal's reason, and what the act throws.
   */
  run<T>(act: () => T | Promise<T>, waiter?: Waiter): T | Promise<T> {
    const before = this.#busy;
    const result = before === undefined ? act() : turn(before, waiter?.signal).then(act);
    if (result instanceof Promise) {
      // Who gives up its place must not let those behind it begin before those in front of it have ended.
      const ended: Promise<unknown> = Promise.allSettled([before, result]).then(() => {
        if (this.#busy === ended) {
          this.#busy = undefined;
        }
      });
      this.#busy = ended;
    }
    return result;
  }
}

/** Goes on with what an act gave: at once where it is there. */
export function after<T, R>(result: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return result instanceof Promise ? result.then(next) : next(result);
}

/** Waits until those before have ended. @throws TensorFlowError the signal's reason. */
export async function turn(before: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(cancelledBy(signal?.reason, "The wait for a turn"));
    signal?.addEventListener("abort", abort, { once: true });
  });
  try {
    if (signal?.aborted) {
      abort();
    }
    await Promise.race([before, aborted]);
  } finally {
    signal?.removeEventListener("abort", abort);
  }
}
