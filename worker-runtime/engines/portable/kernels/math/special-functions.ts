/** Functions missing from JavaScript's Math, to about the precision of a double. */

const TWO_BY_ROOT_PI = 2 / Math.sqrt(Math.PI);
const SERIES_LIMIT = 2;
const TINY = 1e-300;

/** The error function by its series exp(-x²) Σ 2ⁿ x²ⁿ⁺¹ / (1·3·…·(2n+1)) (DLMF 7.6.2); all terms have the same sign. */
function erfSeries(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > Math.abs(sum) * 1e-17 && n < 200; n += 1) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return TWO_BY_ROOT_PI * Math.exp(-x * x) * sum;
}

/** exp(-x²) without the rounding error of x² for large x. */
function expOfMinusSquare(x: number): number {
  const head = Math.round(x * 64) / 64;
  return Math.exp(-head * head) * Math.exp(-(x - head) * (x + head));
}

/** The complementary error function for x > 1 by a continued fraction (DLMF 7.9.2), evaluated by Lentz's method. */
function erfcFraction(x: number): number {
  let value = x;
  let numerator = x;
  let denominator = 0;
  for (let n = 1; n < 500; n += 1) {
    denominator = 1 / (x + (n / 2) * denominator || TINY);
    numerator = x + n / 2 / numerator;
    const factor = numerator * denominator;
    value *= factor;
    if (Math.abs(factor - 1) < 1e-16) {
      break;
    }
  }
  return expOfMinusSquare(x) / (value * Math.sqrt(Math.PI));
}

/** The error function. */
export function erf(x: number): number {
  const size = Math.abs(x);
  if (Number.isNaN(x) || size < SERIES_LIMIT) {
    return erfSeries(x);
  }
  return Math.sign(x) * (size > 6 ? 1 : 1 - erfcFraction(size));
}

/** 1 - erf(x), precise even when it is close to 0. */
export function erfc(x: number): number {
  if (x > 28) {
    return 0;
  }
  return x > 1 ? erfcFraction(x) : 1 - erf(x);
}

/** The inverse of erf: an estimate (Winitzki, 2008) refined by Halley's method. NaN outside of [-1, 1]. */
export function erfinv(y: number): number {
  const size = Math.abs(y);
  if (size >= 1 || y === 0) {
    return size === 1 ? y * Infinity : y === 0 ? y : Number.NaN;
  }
  const a = 0.147;
  const log = Math.log1p(-size * size);
  const middle = 2 / (Math.PI * a) + log / 2;
  let x = Math.sqrt(Math.sqrt(middle * middle - log / a) - middle);
  for (let i = 0; i < 3; i += 1) {
    // The difference of the complements stays precise where erf is close to 1.
    const error = size > 0.5 ? 1 - size - erfc(x) : erf(x) - size;
    const step = error / (TWO_BY_ROOT_PI * expOfMinusSquare(x));
    x -= step / (1 + x * step);
  }
  return y < 0 ? -x : x;
}

/** The quantile function of the normal distribution. */
export function ndtri(p: number): number {
  return Math.SQRT2 * erfinv(2 * p - 1);
}

// Lanczos' approximation with g = 607/128 and 15 terms (P. Godfrey, "A note on the computation of the convergent
// Lanczos complex Gamma approximation", 2001).
const LANCZOS_G = 607 / 128;
const lanczosTerms = [
  57.15623566586292, -59.59796035547549, 14.136097974741746, -0.4919138160976202, 3.399464998481189e-5,
  4.652362892704858e-5, -9.837447530487956e-5, 0.0001580887032249125, -0.00021026444172410488,
  0.00021743961811521265, -0.0001643181065367639, 8.441822398385275e-5, -2.6190838401581408e-5,
  3.6899182659531625e-6,
];

const EULER_GAMMA = 0.5772156649015329;

/** ζ(k) - 1: the first terms of the sum, and the Euler-Maclaurin formula for the rest (DLMF 25.2.9). */
function zetaLessOne(k: number): number {
  const n = 100;
  const last = n ** -k;
  let sum = (n * last) / (k - 1) + last / 2 + (k * last) / (12 * n);
  sum -= (k * (k + 1) * (k + 2) * last) / (720 * n ** 3);
  for (let i = n - 1; i >= 2; i -= 1) {
    sum += i ** -k;
  }
  return sum;
}

/** (-1)^k (ζ(k) - 1) / k for k ≥ 2; for an argument of 1/2, each term is a quarter of the one before. */
const nearTwoTerms = Array.from({ length: 28 }, (_, i) => {
  const k = i + 2;
  return ((k % 2 === 0 ? 1 : -1) * zetaLessOne(k)) / k;
});

/** ln Γ(2 + z) for |z| up to 1/2, precise where it is near 0 (DLMF 5.7.3). */
function lgammaNearTwo(z: number): number {
  const series = nearTwoTerms.reduceRight((sum, term) => sum * z + term, 0);
  return z * (1 - EULER_GAMMA + z * series);
}

/** ln|Γ(x)|; infinity at 0 and the negative integers. */
export function lgamma(x: number): number {
  if (Math.abs(x) === Infinity || (x <= 0 && Number.isInteger(x))) {
    return Infinity;
  }
  if (x < 0.5) {
    // Reflection: Γ(x) Γ(1 - x) = π / sin(πx). Only the fractional part is passed to the sine, which keeps it exact.
    return Math.log(Math.PI / Math.abs(Math.sin(Math.PI * (x - Math.round(x))))) - lgamma(1 - x);
  }
  if (x < 1.5) {
    return lgammaNearTwo(x - 1) - Math.log1p(x - 1);
  }
  if (x < 5) {
    // Γ(x) = (x - 1) Γ(x - 1), down to the range of the series.
    let [factor, rest] = [1, x];
    for (; rest >= 2.5; rest -= 1) {
      factor *= rest - 1;
    }
    return lgammaNearTwo(rest - 2) + Math.log(factor);
  }
  let sum = 0.9999999999999971;
  for (const [i, term] of lanczosTerms.entries()) {
    sum += term / (x + i);
  }
  const t = x + LANCZOS_G - 0.5;
  return (x - 0.5) * Math.log(t) - t + Math.log(Math.sqrt(2 * Math.PI) * sum);
}

/** The derivative of ln Γ: recurrence up to 10, then the asymptotic series (DLMF 5.11.2). NaN at the poles. */
export function digamma(x: number): number {
  if (x === -Infinity || (x <= 0 && Number.isInteger(x))) {
    return Number.NaN;
  }
  if (x < 0) {
    const fraction = x - Math.round(x);
    return digamma(1 - x) - Math.PI / Math.tan(Math.PI * fraction);
  }
  let shift = 0;
  let z = x;
  for (; z < 10; z += 1) {
    shift -= 1 / z;
  }
  const s = 1 / (z * z);
  const series =
    s * (1 / 12 - s * (1 / 120 - s * (1 / 252 - s * (1 / 240 - s * (1 / 132 - s * (691 / 32760 - s / 12))))));
  return shift + Math.log(z) - 0.5 / z - (z === Infinity ? 0 : series);
}
