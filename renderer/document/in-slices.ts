/** Runs long computations in slices of time. Pure, but for the clock. */
import type { Sliced } from "../../worker-runtime/graph/slices.js";

/** Yields to rendering and user input; resolves afterwards. */
export type Yield = () => Promise<void>;

/** A slice of work; with what else a frame needs it still is one of sixty in a second. */
export const SLICE_MILLIS = 6;
export interface SliceOptions {
  readonly pause: Yield;
  /** Ends the computation between two slices. */
  readonly signal?: AbortSignal;
}

/** Runs the computation in slices. Rejects with the reason of the signal when it is aborted. */
export async function inSlices<T>(work: Sliced<T>, { pause, signal }: SliceOptions): Promise<T> {
  for (;;) {
    const ends = performance.now() + SLICE_MILLIS;
    do {
      signal?.throwIfAborted();
      const { done, value } = work.next();
      if (done === true) return value;
    } while (performance.now() < ends);
    await pause();
  }
}
