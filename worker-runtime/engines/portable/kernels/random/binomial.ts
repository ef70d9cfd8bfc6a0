import type { DType } from "../../../../protocol/dtype.js";
import { bitsFromNumber, numberFromBits } from "../../../../protocol/small-float.js";
import { RESERVED_BLOCKS_PER_OUTPUT } from "./distributions.js";
import { Draws } from "./draws.js";
import type { Philox } from "./philox.js";
import type { Sampler } from "./sampled-outputs.js";

/** From this mean on, draws are made by rejection instead of by counting. */
const REJECTION_MEAN = 10;

/** Blocks that TensorFlow reserves for a draw by counting: ten standard deviations above the largest mean. */
const BLOCKS_FOR_COUNTING = 42;

/** How a dtype rounds intermediate results. */
function roundingOf(dtype: DType): (value: number) => number {
  switch (dtype) {
    case "float64":
      return (value) => value;
    case "float16":
      return (value) => numberFromBits("float16", bitsFromNumber("float16", Math.fround(value)));
    default:
      return Math.fround;
  }
}

/**
 * Draws from the binomial distribution of `count` trials with the probability `prob`, as in TensorFlow: based on the
 * rarer of the two outcomes, and by rejection if its expected number is at least ten.
 * @param dtype of count and probability: intermediate results before the first draw are rounded to it.
 * @returns a sampler; it returns NaN if one of the two is NaN. A count that is not an integer is used unrounded.
 */
export function binomialSampler(dtype: DType, count: number, prob: number): Sampler {
  const rounded = roundingOf(dtype);
  if (count <= 0 || prob <= 0) {
    return constantSampler(0);
  }
  if (prob >= 1) {
    return constantSampler(count);
  }
  // With such a count TensorFlow never stops drawing.
  if (Number.isNaN(prob) || Number.isNaN(count)) {
    return constantSampler(Number.NaN);
  }
  const flipped = prob > 0.5;
  const rarer = flipped ? rounded(1 - prob) : prob;
  const byRejection = rounded(count * rarer) >= REJECTION_MEAN;
  const draw = byRejection ? rejectionSampler(count, rarer) : countingSampler(count, rarer);
  return {
    reservedBlocks: byRejection ? RESERVED_BLOCKS_PER_OUTPUT : BLOCKS_FOR_COUNTING,
    draw: flipped ? (stream) => count - draw(stream) : draw,
  };
}

function constantSampler(value: number): Sampler {
  return { reservedBlocks: 0, draw: () => value };
}

/** Counts how many geometrically distributed waiting times for an outcome fit into `count` trials. */
function countingSampler(count: number, prob: number): (stream: Philox) => number {
  const logOfOther = Math.log1p(-prob);
  return (stream) => {
    const uniforms = new Draws("uniform", stream);
    let trials = 0;
    for (let outcomes = 0; ; outcomes += 1) {
      trials += Math.ceil(Math.log(uniforms.next()) / logOfOther);
      if (!(trials <= count)) {
        return outcomes;
      }
    }
  };
}

/** The difference between log(k!) and Stirling's formula, for k up to 9. */
const STIRLING_TAILS = [
  0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509, 0.0166446911898211,
  0.0138761288230707, 0.0118967099458917, 0.010411265261972, 0.00925546218271273, 0.00833056343336287,
] as const;

function stirlingTail(k: number): number {
  const known = k <= 9 ? STIRLING_TAILS[Math.trunc(k)] : undefined;
  if (known !== undefined) {
    return known;
  }
  const square = (k + 1) * (k + 1);
  return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1);
}

/** Transformed rejection: Hörmann, "The generation of binomial random variates" (1993), algorithm BTRS. */
function rejectionSampler(count: number, prob: number): (stream: Philox) => number {
  const deviation = Math.sqrt(count * prob * (1 - prob));
  const b = 1.15 + 2.53 * deviation;
  const a = -0.0873 + 0.0248 * b + 0.01 * prob;
  const c = count * prob + 0.5;
  const acceptBelow = 0.92 - 4.2 / b;
  const odds = prob / (1 - prob);
  const alpha = (2.83 + 5.1 / b) * deviation;
  const mode = Math.floor((count + 1) * prob);
  const ofMode =
    (mode + 0.5) * Math.log((mode + 1) / (odds * (count - mode + 1))) +
    stirlingTail(mode) +
    stirlingTail(count - mode);
  return (stream) => {
    const uniforms = new Draws("uniform", stream);
    for (;;) {
      const u = uniforms.next() - 0.5;
      const v = uniforms.next();
      const distance = 0.5 - Math.abs(u);
      const k = Math.floor(((2 * a) / distance + b) * u + c);
      if (distance >= 0.07 && v <= acceptBelow) {
        return k;
      }
      if (k < 0 || k > count) {
        continue;
      }
      const bound =
        ofMode +
        (count + 1) * Math.log((count - mode + 1) / (count - k + 1)) +
        (k + 0.5) * Math.log((odds * (count - k + 1)) / (k + 1)) -
        stirlingTail(k) -
        stirlingTail(count - k);
      if (Math.log((v * alpha) / (a / (distance * distance) + b)) <= bound) {
        return k;
      }
    }
  };
}
