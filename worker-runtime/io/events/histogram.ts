import type { HistogramProto } from "../../../protos/generated/tensorflow/histogram.js";

/** The buckets of TensorFlow's histograms grow by a tenth from 1e-12 to 1e20, on both sides of zero. */
const SMALLEST_LIMIT = 1e-12;
const LARGEST_LIMIT = 1e20;
const GROWTH = 1.1;

const limits = makeLimits();

function makeLimits(): Float64Array {
  const positive: number[] = [];
  for (let limit = SMALLEST_LIMIT; limit < LARGEST_LIMIT; limit *= GROWTH) {
    positive.push(limit);
  }
  positive.push(Number.MAX_VALUE);
  return Float64Array.from([...positive.map((limit) => -limit).reverse(), 0, ...positive]);
}

/** The bucket of a finite number: the first one whose limit is above it. */
function bucketOf(value: number): number {
  let low = 0;
  let high = limits.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (value < (limits[middle] ?? 0)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/** The histogram of finite numbers, with runs of empty buckets merged. */
export function histogramOf(values: ArrayLike<number>): HistogramProto {
  const counts = new Float64Array(limits.length);
  const histogram = {
    min: Number.MAX_VALUE,
    max: -Number.MAX_VALUE,
    num: values.length,
    sum: 0,
    sumSquares: 0,
  };
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? 0;
    const bucket = bucketOf(value);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    histogram.min = Math.min(histogram.min, value);
    histogram.max = Math.max(histogram.max, value);
    histogram.sum += value;
    histogram.sumSquares += value * value;
  }
  const bucketLimit: number[] = [];
  const bucket: number[] = [];
  for (const [index, count] of counts.entries()) {
    const next = counts[index + 1];
    if (count > 0 || next === undefined || next > 0) {
      bucketLimit.push(limits[index] ?? 0);
      bucket.push(count);
    }
  }
  return { ...histogram, bucketLimit, bucket };
}
