import { lgamma } from "../math/special-functions.js";
import { Draws } from "./draws.js";
import type { Philox } from "./philox.js";

/** From this rate on, draws are made by rejection instead of by counting events. */
const REJECTION_RATE = 10;

/**
 * Draws from the Poisson distribution: below a rate of 10 by counting events (Knuth, The Art of Computer Programming,
 * volume 2), otherwise by transformed rejection (Hörmann, "The transformed rejection method for generating Poisson
 * random variables", 1993). Computed in float64 for every dtype, as in TensorFlow.
 * @returns a sampler of integers; it returns NaN if the rate is negative or not finite.
 */
export function poissonSampler(rate: number): (stream: Philox) => number {
  if (!Number.isFinite(rate) || rate < 0) {
    return () => Number.NaN;
  }
  return rate < REJECTION_RATE ? countingSampler(Math.exp(-rate)) : transformedSampler(rate);
}

function countingSampler(limit: number): (stream: Philox) => number {
  return (stream) => {
    const uniforms = new Draws("uniform", stream);
    let product = 1;
    for (let events = 0; ; events += 1) {
      product *= uniforms.next();
      if (product <= limit) {
        return events;
      }
    }
  };
}

function transformedSampler(rate: number): (stream: Philox) => number {
  const logRate = Math.log(rate);
  const b = 0.931 + 2.53 * Math.sqrt(rate);
  const a = -0.059 + 0.02483 * b;
  const inverseAlpha = 1.1239 + 1.1328 / (b - 3.4);
  const acceptBelow = 0.9277 - 3.6224 / (b - 2);
  return (stream) => {
    const uniforms = new Draws("uniform", stream);
    for (;;) {
      const u = uniforms.next() - 0.5;
      const v = uniforms.next();
      const distance = 0.5 - Math.abs(u);
      const k = Math.floor(((2 * a) / distance + b) * u + rate + 0.43);
      if (distance >= 0.07 && v <= acceptBelow) {
        return k;
      }
      if (k < 0 || (distance < 0.013 && v > distance)) {
        continue;
      }
      const s = Math.log((v * inverseAlpha) / (a / (distance * distance) + b));
      if (s <= -rate + k * logRate - lgamma(k + 1)) {
        return k;
      }
    }
  };
}
