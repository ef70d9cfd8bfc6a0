/** Numbers as the window writes them. */

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** Decimal units, three figures at most: "98 kB", "1.4 GB". */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const text = value.toFixed(unit === 0 || value >= 9.95 ? 0 : 1).replace(/\.0$/, "");
  return `${text} ${BYTE_UNITS[unit]}`;
}

/** What several came to: "12 B", "at least 8 B" if the size of some is unknown. */
export function totalBytesText(sizes: readonly (number | undefined)[]): string {
  const known = sizes.filter((size) => size !== undefined);
  const text = bytesText(known.reduce((sum, size) => sum + size, 0));
  if (known.length === sizes.length) return text;
  return known.length === 0 ? "bytes not known" : `at least ${text}`;
}

/** A whole number: four figures are read at a glance, more need their commas. "1000", "12,000". */
export function numberText(value: number): string {
  return Math.abs(value) < 10_000 ? String(value) : value.toLocaleString("en");
}

/** Significant digits of a measured or computed number. */
const FIGURE_DIGITS = 4;

/** A few significant digits; longer numbers are written with an exponent, so no digit is made up. */
export function figureText(value: number, digits = FIGURE_DIGITS): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value > 0 ? "inf" : "-inf";
  const rounded = Number(value.toPrecision(digits));
  const size = Math.abs(rounded);
  return size >= 1e6 || (size > 0 && size < 1e-4) ? rounded.toExponential() : String(rounded);
}

/** "950", "9.5k", "3.5M": two or three figures of a large number, where there is room for no more. */
export function compactText(value: number): string {
  return new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 })
    .format(value)
    .replace("K", "k");
}

/** "step 1", "step 100,000": shown beside every measurement. */
export function stepText(step: number): string {
  return `step ${numberText(step)}`;
}

/** A duration of milliseconds, three figures where it was measured so finely: "42 µs", "0.38 ms", "12.0 ms", "1.3 s". */
export function durationText(millis: number): string {
  if (millis > 0 && millis < 0.001) return "<1 µs";
  if (millis < 0.0995) return `${Math.round(millis * 1000)} µs`;
  if (millis < 9.995) return `${millis.toFixed(2)} ms`;
  if (millis < 99.95) return `${millis.toFixed(1)} ms`;
  if (millis < 999.5) return `${Math.round(millis)} ms`;
  const seconds = millis / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Time that is counted in whole seconds rather than measured: "7 s", "1 min 20 s". */
export function secondsText(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : durationText(seconds * 1000);
}

/** "1:42" of milliseconds, never below zero. */
export function minutesText(millis: number): string {
  const seconds = Math.max(0, Math.ceil(millis / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** "1 node", "3 nodes". */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${numberText(count)} ${count === 1 ? one : many}`;
}

/** "14:02:11.402" of milliseconds since the epoch, in the user's own time zone. */
export function clockText(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** "10:42" of a time today, "20 Nov 10:42" of an earlier day, in the user's own time zone. */
export function timeText(at: number, now: number = Date.now()): string {
  const date = new Date(at);
  const time = `${String(date.getHours()).padStart(2, "0")}:${String(date.getMinutes()).padStart(2, "0")}`;
  if (date.toDateString() === new Date(now).toDateString()) return time;
  return `${date.getDate()} ${date.toLocaleString("en", { month: "short" })} ${time}`;
}

/** "just now", "5 min ago", "3 h ago", "2 days ago". */
export function agoText(at: number, now: number = Date.now()): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ago` : `${countText(Math.floor(hours / 24), "day")} ago`;
}

/** A round trip in few signs: "0.6", "14", without its unit. */
export function roundTripText(millis: number): string {
  if (millis < 0.05) return "<0.1";
  return millis < 9.95 ? millis.toFixed(1) : String(Math.round(millis));
}

/** "[784,256]", "[]" for a scalar. */
export function shapeText(shape: readonly number[]): string {
  return `[${shape.map((size) => (size < 0 ? "?" : size)).join(",")}]`;
}

/** "a", "a and b", "a, b and c". */
export function listText(names: readonly string[]): string {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
