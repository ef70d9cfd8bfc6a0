/** Incomplete gamma and beta functions and related functions, to about the precision of a double. */
import { digamma, lgamma } from "./special-functions.js";

const MAX_TERMS = 10_000;
const PRECISION = 2 ** -53;

/** A function of a, and its derivative with respect to a. */
interface WithDerivative {
  readonly value: number;
  readonly byA: number;
}

/** x^a · e^-x / Γ(a). */
function weight(a: number, x: number): number {
  return Math.exp(a * Math.log(x) - x - lgamma(a));
}

/** P(a, x) by its series (DLMF 8.11.4); all terms have the same sign. */
function lowerSeries(a: number, x: number): WithDerivative {
  let [term, termByA, sum, sumByA] = [1, 0, 1, 0];
  for (let n = 1; n < MAX_TERMS; n += 1) {
    const factor = x / (a + n);
    termByA = termByA * factor - (term * factor) / (a + n);
    term *= factor;
    sum += term;
    sumByA += termByA;
    if (term <= PRECISION * sum && Math.abs(termByA) <= PRECISION * Math.abs(sumByA)) {
      break;
    }
  }
  const scale = weight(a, x) / a;
  return { value: scale * sum, byA: scale * (sumByA + sum * (Math.log(x) - digamma(a + 1))) };
}

/** Numbers of a continued fraction are divided by this when they exceed it: only their quotients matter. */
const LARGE = 2 ** 52;

/** Q(a, x) = 1 - P(a, x) by its continued fraction (DLMF 8.9.2); numerators and denominators have derivatives. */
function upperFraction(a: number, x: number): WithDerivative {
  let [y, z] = [1 - a, x + 2 - a];
  let older = { p: 1, q: x, dp: 0, dq: 0 };
  let newer = { p: x + 1, q: z * x, dp: 0, dq: -x };
  let value = newer.p / newer.q;
  let byA = (newer.dp - value * newer.dq) / newer.q;
  for (let n = 1; n < MAX_TERMS; n += 1) {
    y += 1;
    z += 2;
    const yn = y * n;
    const next = {
      p: newer.p * z - older.p * yn,
      q: newer.q * z - older.q * yn,
      dp: newer.dp * z - newer.p - older.dp * yn + older.p * n,
      dq: newer.dq * z - newer.q - older.dq * yn + older.q * n,
    };
    [older, newer] = [newer, next];
    if (next.q !== 0) {
      const before = { value, byA };
      value = next.p / next.q;
      byA = (next.dp - value * next.dq) / next.q;
      const settled = (now: number, then: number) => Math.abs(now - then) <= PRECISION * Math.abs(now);
      if (settled(value, before.value) && settled(byA, before.byA)) {
        break;
      }
    }
    if (Math.abs(next.p) > LARGE) {
      const shrunk = ({ p, q, dp, dq }: typeof next) => ({
        p: p / LARGE,
        q: q / LARGE,
        dp: dp / LARGE,
        dq: dq / LARGE,
      });
      [older, newer] = [shrunk(older), shrunk(newer)];
    }
  }
  const scale = weight(a, x);
  return { value: scale * value, byA: scale * (byA + value * (Math.log(x) - digamma(a))) };
}

const usesFraction = (a: number, x: number) => x > 1 && x > a;

/** The regularized lower incomplete gamma function P(a, x). NaN for x < 0 and a <= 0. */
export function igamma(a: number, x: number): number {
  if (x === 0 && a > 0) {
    return 0;
  }
  if (!(x >= 0 && a > 0)) {
    return Number.NaN;
  }
  if (x === Infinity) {
    return a === Infinity ? Number.NaN : 1;
  }
  return usesFraction(a, x) ? 1 - upperFraction(a, x).value : lowerSeries(a, x).value;
}

/** The regularized upper incomplete gamma function Q(a, x) = 1 - P(a, x). NaN for x < 0 and a <= 0. */
export function igammac(a: number, x: number): number {
  if (!(x >= 0 && a > 0)) {
    return Number.NaN;
  }
  if (x === 0) {
    return 1;
  }
  if (x === Infinity) {
    return a === Infinity ? Number.NaN : 0;
  }
  return usesFraction(a, x) ? upperFraction(a, x).value : 1 - lowerSeries(a, x).value;
}

/** The derivative of P(a, x) with respect to a. */
export function igammaByA(a: number, x: number): number {
  if (x === 0 && a > 0) {
    return 0;
  }
  if (!(x >= 0 && a > 0)) {
    return Number.NaN;
  }
  return usesFraction(a, x) ? -upperFraction(a, x).byA : lowerSeries(a, x).byA;
}

/** The derivative of a sample of the gamma distribution with respect to its shape a: -(∂P/∂a) / (∂P/∂x). */
export function gammaSampleByA(a: number, sample: number): number {
  if (sample === 0 && a > 0) {
    return 0;
  }
  if (!(sample >= 0 && a > 0)) {
    return Number.NaN;
  }
  return (-igammaByA(a, sample) * sample) / weight(a, sample);
}

/** The regularized incomplete beta function. NaN unless a and b are above 0 and x is in [0, 1]. */
export function betainc(a: number, b: number, x: number): number {
  if (!(a > 0 && b > 0 && x >= 0 && x <= 1)) {
    return Number.NaN;
  }
  if (x === 0 || x === 1) {
    return x;
  }
  const front = Math.exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  return x < (a + 1) / (a + b + 2)
    ? (front * betaFraction(a, b, x)) / a
    : 1 - (front * betaFraction(b, a, 1 - x)) / b;
}

/** The continued fraction of the incomplete beta function (DLMF 8.17.22), evaluated by Lentz's method. */
function betaFraction(a: number, b: number, x: number): number {
  const TINY = 1e-300;
  let numerator = 1;
  let denominator = 1 / (1 - ((a + b) * x) / (a + 1) || TINY);
  let value = denominator;
  for (let m = 1; m < MAX_TERMS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    let factor = 1;
    for (const coefficient of [even, odd]) {
      denominator = 1 / (1 + coefficient * denominator || TINY);
      numerator = 1 + coefficient / numerator || TINY;
      factor = numerator * denominator;
      value *= factor;
    }
    if (Math.abs(factor - 1) <= 2 * PRECISION) {
      break;
    }
  }
  return value;
}

/** B(2k) / (2k)!, the coefficients of the Euler–Maclaurin formula. */
const BERNOULLI = [
  1 / 12,
  -1 / 720,
  1 / 30240,
  -1 / 1209600,
  1 / 47900160,
  -691 / 1307674368000,
  1 / 74724249600,
  -3617 / 10670622842880000,
];

/** The Hurwitz zeta function Σ (n + q)^-s for s > 1: its first terms, and the Euler–Maclaurin formula for the rest. */
export function zeta(s: number, q: number): number {
  if (s === 1) {
    return Infinity;
  }
  if (!(s > 1) || Number.isNaN(q)) {
    return Number.NaN;
  }
  if (q <= 0) {
    return zetaBelowZero(s, q);
  }
  let sum = 0;
  let index = q;
  for (let n = 0; n < 10; n += 1) {
    sum += index ** -s;
    index += 1;
  }
  sum += index ** (1 - s) / (s - 1) + index ** -s / 2;
  let term = s * index ** (-s - 1);
  for (const [k, coefficient] of BERNOULLI.entries()) {
    sum += coefficient * term;
    term *= ((s + 2 * k + 1) * (s + 2 * k + 2)) / (index * index);
  }
  return sum;
}

/** The terms below 0 are those of two other sums, with a sign that depends on whether s is even or odd. */
function zetaBelowZero(s: number, q: number): number {
  if (Number.isInteger(q)) {
    return s % 2 === 0 ? Infinity : Number.NaN;
  }
  if (!Number.isInteger(s) || q === -Infinity) {
    return Number.NaN;
  }
  const fraction = q - Math.floor(q);
  const below = zeta(s, 1 - fraction) - zeta(s, 1 - q);
  return zeta(s, fraction) + (s % 2 === 0 ? below : -below);
}

/** The derivative of digamma of order n. NaN if n is negative or not an integer. */
export function polygamma(n: number, x: number): number {
  if (n === 0) {
    return digamma(x);
  }
  if (!(n > 0) || !Number.isInteger(n)) {
    return Number.NaN;
  }
  const size = Math.exp(lgamma(n + 1)) * zeta(n + 1, x);
  return n % 2 === 0 ? -size : size;
}
