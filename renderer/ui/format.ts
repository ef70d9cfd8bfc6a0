/** Numbers, lists and times as the window writes them, in its language. */
import { numberFormat } from "../texts/messages.js";
import { locale, texts } from "../texts/texts.js";

const words = texts.ui.format;

const BYTE_UNITS = ["B", "kB", "MB", "GB", "TB"] as const;

/** With that many digits after the point, or at most that many. */
export function digitsText(value: number, digits: number, { atMost = false } = {}): string {
  return numberFormat(locale, {
    minimumFractionDigits: atMost ? 0 : digits,
    maximumFractionDigits: digits,
  }).format(value);
}

/** Decimal units, three figures at most: "98 kB", "1.4 GB". */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  const text = digitsText(value, unit === 0 || value >= 9.95 ? 0 : 1, { atMost: true });
  return words.units[BYTE_UNITS[unit] ?? "TB"]({ value: text });
}

/** The sum of several: "12 B", "at least 8 B" if the size of some is unknown. */
export function totalBytesText(sizes: readonly (number | undefined)[]): string {
  const known = sizes.filter((size) => size !== undefined);
  const text = bytesText(known.reduce((sum, size) => sum + size, 0));
  if (known.length === sizes.length) return text;
  return known.length === 0 ? words.bytesNotKnown : words.atLeast({ bytes: text });
}

/** A whole number: four figures are read at a glance, more need their commas. "1000", "12,000". */
export function numberText(value: number): string {
  return numberFormat(locale, Math.abs(value) < 10_000 ? {} : { maximumFractionDigits: 3 }).format(value);
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
  return numberFormat(locale, { notation: "compact", maximumSignificantDigits: 3 })
    .format(value)
    .replace("K", "k");
}

/**
 * "step 1", "step 100,000": shown beside every measurement.
 *
 * @param hasSetUp the step's time includes placing and registering the graph, so that later ones take less
 */
export function stepText(step: number, hasSetUp = false): string {
  return (hasSetUp ? words.stepWithSetUp : words.step)({ step });
}

/** A duration of milliseconds, three figures where it was measured so finely: "42 µs", "0.38 ms", "12.0 ms", "1.3 s". */
export function durationText(millis: number): string {
  if (millis > 0 && millis < 0.001) return words.underOneMicrosecond;
  if (millis < 0.0995) return words.microseconds({ value: digitsText(millis * 1000, 0) });
  if (millis < 9.995) return words.milliseconds({ value: digitsText(millis, 2) });
  if (millis < 99.95) return words.milliseconds({ value: digitsText(millis, 1) });
  if (millis < 999.5) return words.milliseconds({ value: digitsText(millis, 0) });
  const seconds = millis / 1000;
  if (seconds < 9.95) return words.seconds({ value: digitsText(seconds, 1) });
  if (seconds < 59.5) return words.seconds({ value: digitsText(seconds, 0) });
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? words.minutesAndSeconds({ minutes, seconds: whole % 60 })
    : words.hoursAndMinutes({ hours: Math.floor(minutes / 60), minutes: minutes % 60 });
}

/** "+1.20 ms", "−4.0 s", "0 µs"; a difference that is too small for a figure has no sign. */
export function durationDifferenceText(millis: number): string {
  const text = durationText(Math.abs(millis));
  if (millis === 0 || text === words.underOneMicrosecond) return text;
  return `${millis > 0 ? "+" : "−"}${text}`;
}

/**
 * Time that is counted in whole seconds rather than measured: "7 s", "1 min 20 s".
 *
 * @param zeroSeconds false: "2 min" rather than "2 min 0 s"
 */
export function secondsText(seconds: number, { zeroSeconds = true } = {}): string {
  if (seconds < 60) return words.seconds({ value: numberText(seconds) });
  const isWhole = seconds % 60 === 0 && seconds < 60 * 60;
  return isWhole && !zeroSeconds ? words.minutes({ minutes: seconds / 60 }) : durationText(seconds * 1000);
}

/** How often something happens in a second, as precisely as such a rate is known: "8.3", "1,200". */
export function rateText(perSecond: number): string {
  return digitsText(perSecond, perSecond >= 10 ? 0 : 1);
}

/** "1:42" of milliseconds, never below zero. */
export function minutesText(millis: number): string {
  const seconds = Math.max(0, Math.ceil(millis / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
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
  return words.date({ date: date.toLocaleString(locale, { day: "numeric", month: "short" }), time });
}

/** "just now", "5 min ago", "3 h ago", "2 days ago". */
export function agoText(at: number, now: number = Date.now()): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return words.justNow;
  if (minutes < 60) return words.minutesAgo({ minutes });
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? words.hoursAgo({ hours }) : words.daysAgo({ days: Math.floor(hours / 24) });
}

/** A round trip in few signs: "0.6", "14", without its unit. */
export function roundTripText(millis: number): string {
  if (millis < 0.05) return "<0.1";
  return digitsText(millis, millis < 9.95 ? 1 : 0);
}

/** "[784,256]", "[]" for a scalar. */
export function shapeText(shape: readonly number[]): string {
  return `[${shape.map((size) => (size < 0 ? "?" : size)).join(",")}]`;
}

const LISTS = new Intl.ListFormat(locale, { type: "conjunction" });

/** "a", "a and b", "a, b and c". */
export function listText(names: readonly string[]): string {
  return LISTS.format(names);
}
