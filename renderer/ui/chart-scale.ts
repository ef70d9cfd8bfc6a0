/** How values become positions of a chart. */
import { figureText } from "./format.js";

/** The most digits of a tick: more would be rounding errors. */
const MOST_DIGITS = 12;

export interface Scale {
  readonly min: number;
  readonly max: number;
  readonly logarithmic: boolean;
}

/** A scale over the given values, with some room at both ends; undefined if none of them can be drawn. */
export function scaleOf(
  values: Iterable<number | null | undefined>,
  { logarithmic = false, room = 0 }: { readonly logarithmic?: boolean; readonly room?: number } = {},
): Scale | undefined {
  let min = Infinity;
  let max = -Infinity;
  for (const value of values) {
    if (value === null || value === undefined || !Number.isFinite(value) || (logarithmic && value <= 0))
      continue;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (min > max) return undefined;
  // Smoothed equal values differ by rounding errors, which are nothing to show.
  const isFlat = max - min <= Math.max(Math.abs(min), Math.abs(max)) * 1e-9;
  if (logarithmic) {
    const factor = isFlat ? 2 : (max / min) ** room;
    return { min: min / factor, max: max * factor, logarithmic };
  }
  const margin = isFlat ? Math.abs(min) / 2 || 0.5 : (max - min) * room;
  return { min: min - margin, max: max + margin, logarithmic };
}

/** Where a value stands between the ends, from 0 to 1 for values of the scale; undefined if it cannot be drawn. */
export function placeOf(
  { min, max, logarithmic }: Scale,
  value: number | null | undefined,
): number | undefined {
  if (value === null || value === undefined || !Number.isFinite(value)) return undefined;
  if (!logarithmic) return (value - min) / (max - min || 1);
  return value > 0 ? Math.log(value / min) / Math.log(max / min) : undefined;
}

/** Round numbers within a scale, about as many as asked for: multiples of 1, 2 or 5, or powers of ten. */
export function ticksOf({ min, max, logarithmic }: Scale, count: number): number[] {
  if (logarithmic && max / min >= 10) {
    const [from, to] = [Math.ceil(Math.log10(min)), Math.floor(Math.log10(max))];
    const every = Math.max(1, Math.ceil((to - from + 1) / count));
    return range(from, to, every).map((power) => 10 ** power);
  }
  const rough = (max - min) / Math.max(1, count);
  if (!(rough > 0)) return [min];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  // Multiples of a whole number have no rounding errors to show.
  return range(Math.ceil(min / step), Math.floor(max / step), 1).map((multiple) =>
    Number((multiple * step).toPrecision(MOST_DIGITS)),
  );
}

/** The numbers at an axis, as exact as the ticks are. */
export function tickLabels(ticks: readonly number[]): string[] {
  return ticks.map((tick) => figureText(tick, MOST_DIGITS));
}

function range(from: number, to: number, every: number): number[] {
  return Array.from({ length: Math.max(0, Math.floor((to - from) / every) + 1) }, (_, i) => from + i * every);
}

/** The index of the number that is nearest to `wanted`; they ascend. */
export function nearestIndex(ascending: readonly number[], wanted: number): number {
  let low = 0;
  let high = ascending.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((ascending[middle] ?? 0) <= wanted) low = middle;
    else high = middle;
  }
  return Math.abs((ascending[high] ?? 0) - wanted) < Math.abs((ascending[low] ?? 0) - wanted) ? high : low;
}
