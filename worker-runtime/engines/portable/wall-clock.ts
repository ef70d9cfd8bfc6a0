const MICROS_PER_MILLI = 1000;

/**
 * Microseconds since 1970 by the clock of all records of a trace. It is monotonic, unlike the system's clock, which may
 * be set.
 */
export function nowMicros(): number {
  return Math.round((performance.timeOrigin + performance.now()) * MICROS_PER_MILLI);
}
