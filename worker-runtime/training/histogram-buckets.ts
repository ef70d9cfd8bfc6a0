/** By how much each limit of a histogram exceeds the one before. */
const GROWTH = 1.1;
const SMALLEST = 1e-12;
const LARGEST = 1e20;

let limits: readonly number[] | undefined;

/** The upper limits of TensorFlow's default buckets (histogram.cc), from negative to positive numbers. */
export function bucketLimits(): readonly number[] {
  if (limits) return limits;
  const positive: number[] = [];
  for (let limit = SMALLEST; limit < LARGEST; limit *= GROWTH) positive.push(limit);
  positive.push(Number.MAX_VALUE);
  limits = [...positive.map((limit) => -limit).reverse(), 0, ...positive];
  return limits;
}
