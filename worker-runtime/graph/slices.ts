/**
 * Long computations that are done in slices, between which a page renders and reacts to input. Such a computation is a
 * generator that yields where it may be interrupted; it does not know who runs it, or how. Pure.
 */

/** Yields often, at the latest after a millisecond or so, and returns its result. */
export type Sliced<T> = Generator<void, T, void>;

/** So many steps of a few microseconds each are done between two checks of the clock. */
export const STEPS_AT_ONCE = 128;

/** Runs the computation in one piece, for graphs that are small, and where nothing waits. */
export function atOnce<T>(work: Sliced<T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}

/** Visits the elements of a list, with a pause after every few of them. */
export function* paused<T>(elements: Iterable<T>, visit: (element: T) => void): Sliced<void> {
  let count = 0;
  for (const element of elements) {
    visit(element);
    if (++count % STEPS_AT_ONCE === 0) yield;
  }
}
