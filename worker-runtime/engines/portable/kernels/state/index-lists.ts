import { eachOf, type PausingWork } from "../../pauses.js";
import type { indicesOf } from "../support/elements.js";

/** Indices or lengths, possibly many. */
export type Indices = ReturnType<typeof indicesOf>;

/** The largest index; -1 if there are none. */
export function* largestOf(indices: Indices): PausingWork<number> {
  let largest = -1;
  yield* eachOf(indices, (index) => {
    largest = Math.max(largest, index);
  });
  return largest;
}

/** The sum of the lengths. */
export function* sumOf(lengths: Indices): PausingWork<number> {
  let sum = 0;
  yield* eachOf(lengths, (length) => {
    sum += length;
  });
  return sum;
}
