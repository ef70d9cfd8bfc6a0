/** Numbers as TensorFlow's SimplePhilox draws them, one at a time. */
import type { PhiloxSamples } from "./philox.js";

/** A uniform integer below `limit`: 32-bit numbers that would cause a bias are drawn again. */
export function belowLimit(numbers: PhiloxSamples, limit: number): number {
  const favoured = 0xffffffff % limit;
  const even = 2 ** 32 % limit === 0;
  for (;;) {
    const drawn = numbers.next();
    if (even || drawn > favoured) {
      return drawn % limit;
    }
  }
}

/** A float from 0 up to, not including, 1, with 23 random bits. */
export function unitFloat(numbers: PhiloxSamples): number {
  return (numbers.next() & 0x7fffff) / 2 ** 23;
}
