/** Results that are kept up to date beside the document: for a large graph they are computed in slices and come later. */
import { atOnce, type Sliced } from "../../worker-runtime/graph/slices.js";
import { inSlices } from "../document/in-slices.js";
import { nextTask } from "../ui/next-task.js";
import { activeGraph, inSession } from "./document-session.js";

/** A graph of up to so many nodes is computed at once, so that nothing of the window is behind its document. */
export const MAX_AT_ONCE = 250;

/** One kind of result. Of several computations that are started, only the newest ends. */
export class Background {
  #abort: AbortController | undefined;

  /** Ends what was started, unless it is done. */
  cancel(): void {
    this.#abort?.abort();
    this.#abort = undefined;
  }

  /**
   * @param size number of nodes
   * @param work must not change what is shown
   * @param done gets the result, in the session in which the computation was started
   */
  start<T>(size: number, work: () => Sliced<T>, done: (result: T) => void): void {
    this.cancel();
    if (size <= MAX_AT_ONCE) {
      done(atOnce(work()));
      return;
    }
    const abort = new AbortController();
    this.#abort = abort;
    const session = activeGraph();
    // Its cause is shown first.
    void nextTask()
      .then(() => inSlices(work(), { pause: nextTask, signal: abort.signal }))
      .then(
        (result) => {
          if (!abort.signal.aborted) inSession(session, () => done(result));
        },
        (error: unknown) => {
          if (!abort.signal.aborted) throw error;
        },
      );
  }
}
