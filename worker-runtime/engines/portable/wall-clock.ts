const MICROS_PER_MILLI = 1000;

/**
 * Microseconds since 1970 by the clock that all records of a trace go by: what happened later is never before, as it may
 * be by the system's clock when that is set.
 */
export function nowMicros(): number {
  return Math.round((performance.timeOrigin + performance.now()) * MICROS_PER_MILLI);
}
