import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { cancelledBy, type TensorFlowError } from "../../../protocol/status.js";

interface Waiter<T> {
  resolve(value: T): void;
  reject(error: TensorFlowError): void;
}

/** Waiters for the same answer, each until its own signal is aborted. */
export class WaitingList<T> {
  readonly #waiters = new Set<Waiter<T>>();

  get size(): number {
    return this.#waiters.size;
  }

  /**
   * @param what is waited for, in the text of the error.
   * @param onLeave called when the signal ends the wait before its answer.
   * @throws TensorFlowError the error that ends all waits; CANCELLED, or the signal's reason.
   */
  wait(signal: CancellationSignal, what: string, onLeave: () => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiters.delete(waiter);
        onLeave();
        reject(cancelledBy(signal.reason, what));
      };
      const settle = (end: () => void): void => {
        signal.removeEventListener("abort", leave);
        end();
      };
      const waiter: Waiter<T> = {
        resolve: (value) => settle(() => resolve(value)),
        reject: (error) => settle(() => reject(error)),
      };
      this.#waiters.add(waiter);
      if (signal.aborted) {
        leave();
      } else {
        signal.addEventListener("abort", leave, { once: true });
      }
    });
  }

  resolveAll(value: T): void {
    for (const waiter of this.#take()) {
      waiter.resolve(value);
    }
  }

  rejectAll(error: TensorFlowError): void {
    for (const waiter of this.#take()) {
      waiter.reject(error);
    }
  }

  #take(): Waiter<T>[] {
    const all = [...this.#waiters];
    this.#waiters.clear();
    return all;
  }
}
