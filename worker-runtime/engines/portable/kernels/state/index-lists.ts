import { eachOf, type PausingWork } from "../../pauses.js";
import type { indicesOf } from "../support/elements.js";

/** Indices or lengths, of which there may be many. */
export type Indices = ReturnType<typeof indicesOf>;

/** The largest of them; -1 where there are none. */
export function* largestOf(indices: Indices): PausingWork<number> {
  let largest = -1;
  yield* eachOf(indices, (index) => {
    largest = Math.max(largest, index);
  });
  return largest;
}

/** All of them added up. */
export function* sumOf(lengths: Indices): PausingWork<number> {
  let sum = 0;
  yield* eachOf(lengths, (length) => {
    sum += length;
  });
  return sum;
}
