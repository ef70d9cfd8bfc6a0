import { internalError, invalidArgument } from "../../../../protocol/status.js";
import type { KernelDefinition } from "../kernel.js";
import { type BinaryOp, binaryKernel, binaryLoop, longLoop } from "../support/elementwise.js";

function refuseZero(): never {
  throw invalidArgument("Integer division by zero");
}

/** TruncateDiv and TruncateMod report the same error with another code in TensorFlow. */
function refuseZeroInternally(): never {
  throw internalError("Integer division by zero");
}

/** Quotients rounded towards zero. */
const truncatedDivision = (refuse: () => never): BinaryOp => ({
  ints: binaryLoop((x, y) => (y === 0 ? refuse() : Math.trunc(x / y))),
  longs: longLoop((x, y) => (y === 0n ? refuse() : x / y)),
  cost: 10,
});

/** Remainders with the sign of the dividend, as C's %. */
const truncatedModulus = (refuse: () => never): BinaryOp => ({
  floats: binaryLoop((x, y) => x % y),
  ints: binaryLoop((x, y) => (y === 0 ? refuse() : x % y)),
  longs: longLoop((x, y) => (y === 0n ? refuse() : x % y)),
  cost: 10,
});

function floorQuotient(x: number, y: number): number {
  return y === 0 ? refuseZero() : Math.floor(x / y);
}

function floorQuotientLong(x: bigint, y: bigint): bigint {
  const quotient = y === 0n ? refuseZero() : x / y;
  return x % y !== 0n && x < 0n !== y < 0n ? quotient - 1n : quotient;
}

/** The remainder with the sign of the divisor, as Python's %. */
function floorRemainder(x: number, y: number): number {
  const remainder = x % y;
  return remainder !== 0 && y < 0 !== remainder < 0 ? remainder + y : remainder;
}

function floorRemainderInt(x: number, y: number): number {
  return y === 0 ? refuseZero() : floorRemainder(x, y);
}

function floorRemainderLong(x: bigint, y: bigint): bigint {
  const remainder = y === 0n ? refuseZero() : x % y;
  return remainder !== 0n && y < 0n !== remainder < 0n ? remainder + y : remainder;
}

function refuseNegativePower(): never {
  throw invalidArgument("Integers to negative integer powers are not allowed");
}

/** Powers by squaring, truncated to 32 bits at each step. */
function integerPower(base: number, exponent: number): number {
  if (exponent < 0) {
    refuseNegativePower();
  }
  let result = 1;
  let square = base;
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) {
      result = Math.imul(result, square);
    }
    square = Math.imul(square, square);
  }
  return result;
}

function integerPowerLong(base: bigint, exponent: bigint): bigint {
  if (exponent < 0n) {
    refuseNegativePower();
  }
  let result = 1n;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) {
      result = BigInt.asUintN(64, result * square);
    }
    square = BigInt.asUintN(64, square * square);
  }
  return result;
}

/**
 * Quotients and powers of integers, and remainders of all numbers.
 * A divisor of 0 is INVALID_ARGUMENT "Integer division by zero" for integers; floats follow IEEE 754.
 */
export const integerDivisionKernels: readonly KernelDefinition[] = [
  binaryKernel("Div", truncatedDivision(refuseZero)),
  binaryKernel("TruncateDiv", {
    ...truncatedDivision(refuseZeroInternally),
    floats: binaryLoop((x, y) => Math.trunc(x / y)),
    float32: binaryLoop((x, y) => Math.trunc(Math.fround(x / y))),
  }),
  binaryKernel("FloorDiv", { ints: binaryLoop(floorQuotient), longs: longLoop(floorQuotientLong), cost: 10 }),
  binaryKernel("Mod", truncatedModulus(refuseZero)),
  binaryKernel("TruncateMod", truncatedModulus(refuseZeroInternally)),
  binaryKernel("FloorMod", {
    floats: binaryLoop(floorRemainder),
    ints: binaryLoop(floorRemainderInt),
    longs: longLoop(floorRemainderLong),
    cost: 10,
  }),
  binaryKernel("Pow", { ints: binaryLoop(integerPower), longs: longLoop(integerPowerLong), cost: 30 }),
];
