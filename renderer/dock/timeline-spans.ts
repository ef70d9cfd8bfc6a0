/**
 * Many intervals on a line of pixels: which are drawn of a part of the time. However many there are, no more are drawn than
 * there are pixels. Pure.
 */
import type { TimeWindow } from "./timeline-window.js";

export interface Interval {
  readonly startMicros: number;
  readonly durationMicros: number;
}

/** Intervals in the order of their starts. */
export interface Spans {
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** The latest end up to each of them; these never decrease. */
  readonly reaches: Float64Array;
}

/** Intervals that are drawn as one, since they begin in one pixel. */
export interface DrawnSpan {
  /** The index of the longest of them. */
  readonly index: number;
  readonly count: number;
  readonly start: number;
  readonly end: number;
}

/** @param sorted in the order of their starts */
export function spansOf(sorted: readonly Interval[]): Spans {
  const starts = new Float64Array(sorted.length);
  const ends = new Float64Array(sorted.length);
  const reaches = new Float64Array(sorted.length);
  let reach = Number.NEGATIVE_INFINITY;
  sorted.forEach(({ startMicros, durationMicros }, index) => {
    starts[index] = startMicros;
    ends[index] = startMicros + durationMicros;
    reach = Math.max(reach, startMicros + durationMicros);
    reaches[index] = reach;
  });
  return { starts, ends, reaches };
}

/** The spans that are drawn in a part of the time. */
export function drawnSpans(
  { starts, ends, reaches }: Spans,
  { from, to }: TimeWindow,
  microsPerPixel: number,
): DrawnSpan[] {
  const drawn: DrawnSpan[] = [];
  let index = firstAbove(reaches, from);
  while (index < starts.length && at(starts, index) < to) {
    const start = at(starts, index);
    let end = at(ends, index);
    const first = index;
    let longest = index;
    index += 1;
    if (end <= from) continue;
    // The first pixel that the next one may begin in.
    const pixelEnd =
      from + (Math.floor((Math.max(start, from) - from) / microsPerPixel) + 1) * microsPerPixel;
    for (; index < starts.length && at(starts, index) < pixelEnd; index += 1) {
      if (durationAt(starts, ends, index) > durationAt(starts, ends, longest)) longest = index;
      end = Math.max(end, at(ends, index));
    }
    drawn.push({ index: longest, count: index - first, start, end });
  }
  return drawn;
}

/** The index of the first number above a bound, in numbers that never decrease; their count if there is none. */
function firstAbove(numbers: Float64Array, bound: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (at(numbers, middle) > bound) high = middle;
    else low = middle + 1;
  }
  return low;
}

function at(numbers: Float64Array, index: number): number {
  return numbers[index] ?? Number.NaN;
}

function durationAt(starts: Float64Array, ends: Float64Array, index: number): number {
  return at(ends, index) - at(starts, index);
}
