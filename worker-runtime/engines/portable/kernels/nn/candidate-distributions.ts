import { resourceExhausted } from "../../../../protocol/status.js";
import type { PhiloxSamples } from "../random/philox.js";
import { belowLimit, unitFloat } from "../random/simple-samples.js";

/** Random classes, each with its own probability. */
export interface ClassDistribution {
  /** Classes are integers from 0 to range - 1. */
  readonly range: number;
  sample(numbers: PhiloxSamples): number;
  probability(of: number): number;
}

/** Equally likely classes, drawn as TensorFlow does: 64-bit numbers that would bias the result are rejected. */
export function uniformClasses(range: number): ClassDistribution {
  const size = BigInt(range);
  const favoured = (2n ** 64n - 1n) % size;
  const even = (size & (size - 1n)) === 0n;
  return {
    range,
    sample(numbers) {
      for (;;) {
        const low = BigInt(numbers.next());
        const drawn = low | (BigInt(numbers.next()) << 32n);
        if (even || drawn > favoured) {
          return Number(drawn % size);
        }
      }
    },
    probability: () => 1 / range,
  };
}

/** Approximately Zipf's law, for classes in descending order of frequency. */
export function logUniformClasses(range: number): ClassDistribution {
  const logRange = Math.log1p(range);
  return {
    range,
    sample(numbers) {
      const high = numbers.next() & 0xfffff;
      const fraction = (high * 2 ** 32 + numbers.next()) / 2 ** 52;
      return (Math.trunc(Math.exp(fraction * logRange)) - 1) % range;
    },
    probability: (of) => Math.log((of + 2) / (of + 1)) / logRange,
  };
}

/**
 * Classes with given weights: Walker's alias method, with the same pairs as TensorFlow, so equal seeds give equal
 * classes. Every position holds a class, its share, and the class that gets the rest.
 * @param total the divisor of the weights that gives probabilities: the sum of the weights as float32.
 */
export function weightedClasses(weights: Float32Array, total: number): ClassDistribution {
  const range = weights.length;
  const sum = weights.reduce((all, weight) => all + weight, 0);
  // Products are rounded to float32, as in TensorFlow.
  const shares = Float64Array.from(weights, (weight) => Math.fround(weight * range) / sum);
  const others = new Int32Array(range);
  const [high, low]: [number[], number[]] = [[], []];
  shares.forEach((share, one) => {
    (share < 1 ? low : high).push(one);
  });
  for (;;) {
    const [lack, excess] = [low.pop(), high.pop()];
    if (lack === undefined || excess === undefined) {
      // Rounding errors leave positions without a partner: each keeps its own class.
      for (const one of [lack, excess, ...low, ...high].filter((one) => one !== undefined)) {
        shares[one] = 1;
      }
      break;
    }
    others[lack] = excess;
    const rest = (shares[excess] ?? 0) - (1 - (shares[lack] ?? 0));
    shares[excess] = rest;
    (rest < 1 ? low : high).push(excess);
  }
  const kept = Float32Array.from(shares);
  return {
    range,
    sample(numbers) {
      const fraction = unitFloat(numbers);
      const index = belowLimit(numbers, range);
      return fraction < (kept[index] ?? 0) ? index : (others[index] ?? 0);
    },
    probability: (of) => Math.fround((weights[of] ?? 0) / total),
  };
}

/** The maximum number of true classes that are counted, as in TensorFlow. */
const MOST_COUNTS = 2 ** 31 - 1;

/** More classes than any model learns; each takes four bytes. */
const MOST_CLASSES = 2 ** 28;

/** Classes with probabilities proportional to how often each was a true class, plus one. */
export class LearnedClasses implements ClassDistribution {
  readonly range: number;
  /** A Fenwick tree of the counts: position i holds the sum of the last (i & -i) counts up to i. */
  readonly #sums: Int32Array;
  readonly #counts: Int32Array;
  #total: number;

  /** @throws TensorFlowError RESOURCE_EXHAUSTED for more classes than there is memory for. */
  constructor(range: number) {
    if (range > MOST_CLASSES) {
      throw resourceExhausted(
        `Counts of ${range} classes are more than the ${MOST_CLASSES} that may be kept.`,
      );
    }
    this.range = range;
    this.#total = range;
    this.#counts = new Int32Array(range).fill(1);
    this.#sums = Int32Array.from({ length: range + 1 }, (_, index) => index & -index);
  }

  sample(numbers: PhiloxSamples): number {
    let left = belowLimit(numbers, this.#total);
    let index = 0;
    for (let step = 2 ** Math.floor(Math.log2(this.range)); step >= 1; step /= 2) {
      const sum = this.#sums[index + step];
      if (sum !== undefined && sum <= left) {
        index += step;
        left -= sum;
      }
    }
    return index;
  }

  probability(of: number): number {
    return Math.fround((this.#counts[of] ?? 0) / this.#total);
  }

  /** Counts true classes. */
  learn(classes: Iterable<number>): void {
    for (const one of classes) {
      if (this.#total >= MOST_COUNTS) {
        return;
      }
      this.#total += 1;
      this.#counts[one] = (this.#counts[one] ?? 0) + 1;
      for (let index = one + 1; index <= this.range; index += index & -index) {
        this.#sums[index] = (this.#sums[index] ?? 0) + 1;
      }
    }
  }
}
