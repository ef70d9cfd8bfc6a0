import { turn } from "../../exclusive-access.js";

/** Lets pieces of work happen one after the other, in the order in which they came. */
export class OneAtATime {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Does the work once all before it has ended, well or not.
   * @param signal ends the wait; the work itself has to observe it once it has begun.
   * @throws TensorFlowError the signal's reason, and what the work throws.
   */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    const result = turn(before, signal).then(work);
    // A caller that gives up must not let those behind it begin before those in front of it have ended.
    this.#last = Promise.allSettled([before, result]);
    return result;
  }
}
