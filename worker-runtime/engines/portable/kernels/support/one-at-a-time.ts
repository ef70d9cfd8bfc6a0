import type { CancellationSignal } from "../../../../cancellation/cancellation-signal.js";
import { turn } from "../../exclusive-access.js";

/** Runs pieces of work one after the other, in the order of the calls. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Runs the work once all earlier work has settled.
   * @param signal ends the wait; the work itself has to observe it once it has begun.
   * @throws TensorFlowError the signal's reason, or what the work throws.
   */
  run<T>(signal: CancellationSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const result = turn(before, signal).then(work);
    // If a caller gives up, those behind it must still wait for those in front of it.
    this.#last = Promise.allSettled([before, result]);
    return result;
  }
}
