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

/** A duration of milliseconds: "0.03 ms", "12.0 ms", "1.3 s", "2 min 5 s". */
export function durationText(millis: number): string {
  if (millis < 0.1) return `${millis.toFixed(3)} ms`;
  if (millis < 10) return `${millis.toFixed(2)} ms`;
  if (millis < 100) return `${millis.toFixed(1)} ms`;
  if (millis < 1000) return `${Math.round(millis)} ms`;
  const seconds = millis / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** "1 node", "3 nodes". */
export function countText(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
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
