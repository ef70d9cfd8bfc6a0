import type { Segment } from "./update-rule.js";

/** The elements of a variable that a run of gradient elements updates. */
export type Run = Pick<Segment, "at" | "from" | "length">;

/** Elements updated per turn: about 10 ms on a slow core. */
export const SLICE_ELEMENTS = 2 ** 20;

export function elementsOf(runs: readonly Run[]): number {
  return runs.reduce((sum, { length }) => sum + length, 0);
}

/** The same runs in the same order, in lists of at most `limit` elements; longer runs are split. */
export function* slicesOf(runs: readonly Run[], limit = SLICE_ELEMENTS): Generator<readonly Run[]> {
  let slice: Run[] = [];
  let room = limit;
  for (const run of runs) {
    for (let done = 0; done < run.length; ) {
      const length = Math.min(run.length - done, room);
      slice.push({ at: run.at + done, from: run.from + done, length });
      done += length;
      room -= length;
      if (room === 0) {
        yield slice;
        slice = [];
        room = limit;
      }
    }
  }
  if (slice.length > 0) {
    yield slice;
  }
}
