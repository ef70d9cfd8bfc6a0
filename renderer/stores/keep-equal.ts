/**
 * Returns a new value that reuses the equal parts of an earlier one: unchanged parts are the same objects as before, so
 * the components that show them are not rendered again. For plain data from the application.
 */
export function keepEqual<T>(before: unknown, now: T): T;
export function keepEqual(before: unknown, now: unknown): unknown {
  if (Object.is(before, now)) return before;
  if (Array.isArray(before) && Array.isArray(now)) {
    const kept = now.map((value, index) => keepEqual(before[index], value));
    return areSame(kept, before) ? before : kept;
  }
  if (!isPlain(before) || !isPlain(now)) return now;
  const keys = Object.keys(now);
  const kept = Object.fromEntries(keys.map((key) => [key, keepEqual(before[key], now[key])]));
  const isSame =
    Object.keys(before).length === keys.length &&
    keys.every((key) => Object.hasOwn(before, key) && kept[key] === before[key]);
  return isSame ? before : kept;
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Whether two lists have the same parts: what was computed from one of them is valid for the other. */
export function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((part, index) => part === other[index]);
}
