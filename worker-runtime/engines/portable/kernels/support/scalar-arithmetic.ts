/**
 * Arithmetic of two elements, defined once for all kernels. Loops over large arrays that cannot afford a call for each
 * element inline it (math/arithmetic.ts, accumulate.ts).
 */

/** An operation on two elements: an old and a new one if the result replaces the old one. */
export type Arithmetic = "add" | "sub" | "mul" | "div" | "max" | "min";

/** Floats. Integers of up to 32 bits wrap around when they are stored, except products: see `Math.imul`. */
export const numberArithmetic: Readonly<Record<Arithmetic, (a: number, b: number) => number>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  max: Math.max,
  min: Math.min,
};

/** 64-bit integers, which wrap around when they are stored; division truncates and throws for a divisor of 0. */
export const longArithmetic: Readonly<Record<Arithmetic, (a: bigint, b: bigint) => bigint>> = {
  add: (a, b) => a + b,
  sub: (a, b) => a - b,
  mul: (a, b) => a * b,
  div: (a, b) => a / b,
  max: (a, b) => (b > a ? b : a),
  min: (a, b) => (b < a ? b : a),
};

/** An operation on a + bi and c + di. */
export type ComplexOperation = (
  a: number,
  b: number,
  c: number,
  d: number,
) => readonly [re: number, im: number];

/** Complex numbers, which have no order. */
export const complexArithmetic: Readonly<Record<Exclude<Arithmetic, "max" | "min">, ComplexOperation>> = {
  add: (a, b, c, d) => [a + c, b + d],
  sub: (a, b, c, d) => [a - c, b - d],
  mul: (a, b, c, d) => [a * c - b * d, a * d + b * c],
  div: (a, b, c, d) => {
    const square = c * c + d * d;
    return [(a * c + b * d) / square, (b * c - a * d) / square];
  },
};
