import type { CancellationSignal } from "../../../../../cancellation/cancellation-signal.js";
import { cancelled, cancelledBy } from "../../../../../protocol/status.js";

/** A caller that waits for a condition, and its action. */
interface Waiter {
  ready(): boolean;
  enter(): void;
  refuse(error: Error): void;
}

/** Callers that wait for conditions. Those whose condition holds are served in the order of arrival. */
export class WaitingLine {
  readonly #what: string;
  #waiting: Waiter[] = [];

  /** @param what the callers wait for, for errors: "the staging area". */
  constructor(what: string) {
    this.#what = what;
  }

  /**
   * Acts once a condition holds: immediately, or after another caller's action.
   * @param ready the condition; checked again after each action.
   * @throws TensorFlowError the signal's reason, or the error that `act` throws.
   */
  async when<T>(signal: CancellationSignal, ready: () => boolean, act: () => T): Promise<T> {
    let abort = (): void => undefined;
    return new Promise<T>((resolve, reject) => {
      const enter = () => {
        try {
          resolve(act());
        } catch (error) {
          reject(error);
        }
      };
      const waiter: Waiter = { ready, enter, refuse: reject };
      abort = () => {
        this.#waiting = this.#waiting.filter((one) => one !== waiter);
        reject(cancelledBy(signal.reason, `The wait for ${this.#what}`));
      };
      if (signal.aborted) {
        abort();
        return;
      }
      signal.addEventListener("abort", abort, { once: true });
      this.#waiting.push(waiter);
      this.serve();
    }).finally(() => signal.removeEventListener("abort", abort));
  }

  /** Serves every caller whose condition holds. Must be called after a change made outside `when`. */
  serve(): void {
    for (;;) {
      const index = this.#waiting.findIndex((waiter) => waiter.ready());
      const [waiter] = index < 0 ? [] : this.#waiting.splice(index, 1);
      if (waiter === undefined) {
        return;
      }
      waiter.enter();
    }
  }

  /** Ends every wait. */
  dispose(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const waiter of waiting) {
      waiter.refuse(cancelled(`${this.#what[0]?.toUpperCase()}${this.#what.slice(1)} was removed.`));
    }
  }
}
