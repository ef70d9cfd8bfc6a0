import { cancelled, cancelledBy } from "../../../../../protocol/status.js";

/** Who waits until something is so, and what happens then. */
interface Waiter {
  ready(): boolean;
  enter(): void;
  refuse(error: Error): void;
}

/** Those who wait for what others leave or take. They are served in the order in which they came, as far as they can be. */
export class WaitingLine {
  readonly #what: string;
  #waiting: Waiter[] = [];

  /** @param what is waited for, for errors: "the staging area". */
  constructor(what: string) {
    this.#what = what;
  }

  /**
   * Acts once something is so: at once, or after what others do.
   * @param ready whether it is; asked again whenever somebody has acted.
   * @throws TensorFlowError the signal's reason, and what `act` throws.
   */
  async when<T>(signal: AbortSignal, ready: () => boolean, act: () => T): Promise<T> {
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

  /** Lets all go on who can; to be called after a change that no caller waited for. */
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
