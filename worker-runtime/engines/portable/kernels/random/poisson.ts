import { Draws } from "./draws.js";
import type { Philox } from "./philox.js";

/** From this rate on draws are made by rejection instead of by counting events. */
const REJECTION_RATE = 10;

/** Coefficients of the Stirling series of log(gamma), 1/12, -1/360, … (NIST, DLMF 5.11.1). */
const STIRLING = [1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188] as const;

/** Below this the series is not exact enough and the argument is moved up. */
const STIRLING_FROM = 15;

/** log(gamma(x)) for x of at least 1, exact to about 1e-15 of its value. */
function logGamma(x: number): number {
  let shifted = x;
  let product = 1;
  while (shifted < STIRLING_FROM) {
    product *= shifted;
    shifted += 1;
  }
  const square = shifted * shifted;
  let series = 0;
  for (let term = STIRLING.length - 1; term >= 0; term -= 1) {
    series = series / square + (STIRLING[term] ?? 0);
  }
  return (
    (shifted - 0.5) * Math.log(shifted) -
    shifted +
    0.5 * Math.log(2 * Math.PI) +
    series / shifted -
    Math.log(product)
  );
}

/**
 * Draws from the Poisson distribution: below a rate of 10 by counting events (Knuth, The Art of Computer Programming,
 * volume 2), else by transformed rejection (Hörmann, "The transformed rejection method for generating Poisson random
 * variables", 1993). Computed in float64 for every dtype, as TensorFlow does.
 * @returns a sampler of whole numbers; of NaN where the rate is negative or not finite.
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
      if (s <= -rate + k * logRate - logGamma(k + 1)) {
        return k;
      }
    }
  };
}
