import { complexArithmetic } from "../support/scalar-arithmetic.js";

/** A complex number: its real and its imaginary part. */
export type Complex = readonly [re: number, im: number];

export const ZERO: Complex = [0, 0];
export const ONE: Complex = [1, 0];

export function isZero([re, im]: Complex): boolean {
  return re === 0 && im === 0;
}

export function conjugate([re, im]: Complex): Complex {
  return [re, -im];
}

export function scale(factor: number, [re, im]: Complex): Complex {
  return [factor * re, factor * im];
}

export function add([a, b]: Complex, [c, d]: Complex): Complex {
  return complexArithmetic.add(a, b, c, d);
}

export function subtract([a, b]: Complex, [c, d]: Complex): Complex {
  return complexArithmetic.sub(a, b, c, d);
}

export function multiply([a, b]: Complex, [c, d]: Complex): Complex {
  return complexArithmetic.mul(a, b, c, d);
}

export function divide([a, b]: Complex, [c, d]: Complex): Complex {
  return complexArithmetic.div(a, b, c, d);
}

/** The principal square root, whose real part is not negative. */
export function squareRoot([re, im]: Complex): Complex {
  if (Math.abs(im) === Infinity) {
    return [Infinity, im];
  }
  if (Math.abs(re) === Infinity) {
    const small = Number.isNaN(im) ? im : 0;
    return re > 0 ? [re, small] : [small, im < 0 ? re : Infinity];
  }
  if (re === 0 && im === 0) {
    return [0, im];
  }
  const half = Math.sqrt((Math.abs(re) + Math.hypot(re, im)) / 2);
  const sign = im < 0 || Object.is(im, -0) ? -1 : 1;
  return re >= 0 ? [half, im / (2 * half)] : [Math.abs(im) / (2 * half), sign * half];
}

export function exponential([re, im]: Complex): Complex {
  const size = Math.exp(re);
  // A real argument gives a real result; otherwise infinity would make the imaginary part NaN.
  return im === 0 ? [size, im] : [size * Math.cos(im), size * Math.sin(im)];
}

/** exp(z) - 1 without loss of precision near 0. */
export function exponentialMinusOne([re, im]: Complex): Complex {
  return [Math.expm1(re) * Math.cos(im) - 2 * Math.sin(im / 2) ** 2, Math.exp(re) * Math.sin(im)];
}

export function logarithm([re, im]: Complex): Complex {
  return [Math.log(Math.hypot(re, im)), Math.atan2(im, re)];
}

/** log(1 + z) without loss of precision near 0. */
export function logarithmOfOnePlus([re, im]: Complex): Complex {
  const isSmall = Math.abs(re) < 0.5 && Math.abs(im) < 0.5;
  return isSmall
    ? [Math.log1p(re * (2 + re) + im * im) / 2, Math.atan2(im, 1 + re)]
    : logarithm([1 + re, im]);
}

/** base to the power of exponent: exp(exponent log base). */
export function power(base: Complex, exponent: Complex): Complex {
  if (isZero(base)) {
    return isZero(exponent) || exponent[0] <= 0 ? [Number.NaN, Number.NaN] : ZERO;
  }
  return exponential(multiply(exponent, logarithm(base)));
}

export function sine([re, im]: Complex): Complex {
  return [Math.sin(re) * Math.cosh(im), Math.cos(re) * Math.sinh(im)];
}

export function cosine([re, im]: Complex): Complex {
  return [Math.cos(re) * Math.cosh(im), -Math.sin(re) * Math.sinh(im)];
}

/** Above this, tanh is 1 to the last digit. */
const TANH_LIMIT = 20;

/** Kahan's formula, which does not overflow: "Branch cuts for complex elementary functions" (1987). */
export function hyperbolicTangent([re, im]: Complex): Complex {
  if (Math.abs(re) > TANH_LIMIT) {
    return [Math.sign(re), 4 * Math.sin(im) * Math.cos(im) * Math.exp(-2 * Math.abs(re))];
  }
  const tangent = Math.tan(im);
  const stretch = 1 + tangent * tangent;
  const sinh = Math.sinh(re);
  const below = 1 + stretch * sinh * sinh;
  return [(stretch * Math.sqrt(1 + sinh * sinh) * sinh) / below, tangent / below];
}

/** f(i z) / i, which converts a hyperbolic function to the circular one and back. */
function rotated(f: (z: Complex) => Complex): (z: Complex) => Complex {
  return ([re, im]) => {
    const [a, b] = f([-im, re]);
    return [b, -a];
  };
}

export const tangent = rotated(hyperbolicTangent);

export function hyperbolicSine([re, im]: Complex): Complex {
  return [Math.sinh(re) * Math.cos(im), Math.cosh(re) * Math.sin(im)];
}

export function hyperbolicCosine([re, im]: Complex): Complex {
  return [Math.cosh(re) * Math.cos(im), Math.sinh(re) * Math.sin(im)];
}

/** Kahan's formula, like the other inverse functions. */
export function arcSine(z: Complex): Complex {
  const [below, above] = [squareRoot(subtract(ONE, z)), squareRoot(add(ONE, z))];
  return [Math.atan2(z[0], multiply(below, above)[0]), Math.asinh(multiply(conjugate(below), above)[1])];
}

export function arcCosine(z: Complex): Complex {
  const [below, above] = [squareRoot(subtract(ONE, z)), squareRoot(add(ONE, z))];
  return [2 * Math.atan2(below[0], above[0]), Math.asinh(multiply(conjugate(above), below)[1])];
}

export const hyperbolicArcSine = rotated(arcSine);

export function hyperbolicArcCosine(z: Complex): Complex {
  const [below, above] = [squareRoot(subtract(z, ONE)), squareRoot(add(z, ONE))];
  return [Math.asinh(multiply(conjugate(below), above)[0]), 2 * Math.atan2(below[1], above[0])];
}

export function hyperbolicArcTangent([re, im]: Complex): Complex {
  // An odd function; below zero the argument of log1p would be close to -1 and lose precision.
  const right = Math.abs(re);
  return [
    (Math.sign(re) * Math.log1p((4 * right) / ((1 - right) ** 2 + im * im))) / 4,
    Math.atan2(2 * im, (1 - re) * (1 + re) - im * im) / 2,
  ];
}

export const arcTangent = rotated(hyperbolicArcTangent);
