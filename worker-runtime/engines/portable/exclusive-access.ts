import type { CancellationSignal } from "../../cancellation/cancellation-signal.js";
import { unlessAborted } from "../../cancellation/unless-aborted.js";
import { cancelledBy } from "../../protocol/status.js";

/** A waiter for a lock. Its signal is read only if it has to wait. */
export interface Waiter {
  readonly signal: CancellationSignal;
}

/** A reader of a variable. */
export interface Reader extends Waiter {
  /** Identifies its step, which may use the value's memory for as long as it runs; absent if it copies the value at once. */
  readonly stepResources?: object;
}

/** A lock: runs one action at a time, in order of arrival. */
export class ExclusiveAccess {
  /** Settles with the last running or waiting action. */
  #busy: Promise<unknown> | undefined;

  /** Whether an action is running or waiting. */
  get isBusy(): boolean {
    return this.#busy !== undefined;
  }

  /**
   * Runs an action at once if the lock is free, otherwise after the earlier ones.
   *
   * @param waiter its signal ends the wait; the action itself has to observe it once it has started.
   * @throws TensorFlowError the signal's reason, and what the action throws.
   */
  run<T>(act: () => T | Promise<T>, waiter?: Waiter): T | Promise<T> {
    const before = this.#busy;
    const result = before === undefined ? act() : turn(before, waiter?.signal).then(act);
    if (result instanceof Promise) {
      // A cancelled waiter must not let later ones start before the earlier ones have ended.
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

/** Continues with the result of an action: at once if it is available. */
export function after<T, R>(result: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return result instanceof Promise ? result.then(next) : next(result);
}

/** Waits until the earlier ones have ended. @throws TensorFlowError the signal's reason. */
export async function turn(before: Promise<unknown>, signal: CancellationSignal | undefined): Promise<void> {
  await unlessAborted(before, signal, () => cancelledBy(signal?.reason, "The wait for a turn"));
}
