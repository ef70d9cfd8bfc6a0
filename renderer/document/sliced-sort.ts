/** Sorting that can be interrupted: of a hundred thousand elements it takes longer than input may wait. Pure. */
import { type Sliced, STEPS_AT_ONCE } from "../../worker-runtime/graph/slices.js";

/** So many elements are sorted in one piece. */
const RUN = 512;

/** A sorted copy; elements that compare as equal stay in their order. */
export function* slicedSort<T>(
  list: readonly T[],
  compare: (one: T, other: T) => number,
): Sliced<readonly T[]> {
  let runs: (readonly T[])[] = [];
  for (let from = 0; from < list.length; from += RUN) {
    runs.push(list.slice(from, from + RUN).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: (readonly T[])[] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* merge(runs[index] ?? [], runs[index + 1] ?? [], compare));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

function* merge<T>(
  first: readonly T[],
  second: readonly T[],
  compare: (one: T, other: T) => number,
): Sliced<readonly T[]> {
  const [last, next] = [first.at(-1), second[0]];
  // Most lists are nearly in order already.
  if (last === undefined || next === undefined || compare(last, next) <= 0) return first.concat(second);
  const merged: T[] = [];
  let [left, right] = [0, 0];
  while (left < first.length && right < second.length) {
    const [one, other] = [first[left] as T, second[right] as T];
    if (compare(one, other) <= 0) {
      merged.push(one);
      left++;
    } else {
      merged.push(other);
      right++;
    }
    if (merged.length % STEPS_AT_ONCE === 0) yield;
  }
  for (; left < first.length; left++) merged.push(first[left] as T);
  for (; right < second.length; right++) merged.push(second[right] as T);
  return merged;
}
