import type { KernelDefinition } from "../kernel.js";
import { pureKernel } from "../support/define.js";
import { longTypes, shortIntTypes } from "../support/dtypes.js";
import { inputAt } from "../support/elements.js";
import {
  applyBinary,
  type BinaryOp,
  binaryKernel,
  binaryLoop,
  longLoop,
  longUnaryLoop,
  unaryKernel,
  unaryLoop,
} from "../support/elementwise.js";

/**
 * A shift of integers of so many bits. TensorFlow moves distances outside of the type into 0 … bits - 1 rather than
 * leave them to what the processor does.
 */
function shift(
  bits: number,
  ints: (x: number, distance: number) => number,
  longs: (x: bigint, distance: bigint) => bigint,
): BinaryOp {
  const last = BigInt(bits - 1);
  return {
    ints: binaryLoop((x, y) => ints(x, Math.max(0, Math.min(bits - 1, y)))),
    longs: longLoop((x, y) => longs(x, y < 0n ? 0n : y > last ? last : y)),
  };
}

function shiftKernel(op: string, make: (bits: number) => BinaryOp): KernelDefinition {
  return pureKernel(
    op,
    () => (inputs) => {
      const x = inputAt(inputs, 0);
      const bytes = "BYTES_PER_ELEMENT" in x.data ? x.data.BYTES_PER_ELEMENT : 0;
      return [applyBinary(make(8 * bytes), x, inputAt(inputs, 1))];
    },
    { types: { T: [...shortIntTypes, ...longTypes] } },
  );
}

/** Operations on the bits of integers. */
export const bitwiseKernels: readonly KernelDefinition[] = [
  binaryKernel("BitwiseAnd", { ints: binaryLoop((x, y) => x & y), longs: longLoop((x, y) => x & y) }),
  binaryKernel("BitwiseOr", { ints: binaryLoop((x, y) => x | y), longs: longLoop((x, y) => x | y) }),
  binaryKernel("BitwiseXor", { ints: binaryLoop((x, y) => x ^ y), longs: longLoop((x, y) => x ^ y) }),
  unaryKernel("Invert", { ints: unaryLoop((x) => ~x), longs: longUnaryLoop((x) => ~x) }),
  shiftKernel("LeftShift", (bits) =>
    shift(
      bits,
      (x, distance) => x << distance,
      (x, distance) => x << distance,
    ),
  ),
  // An unsigned 32-bit number is cut to a signed one by >>, so halves are taken by division.
  shiftKernel("RightShift", (bits) =>
    shift(
      bits,
      (x, distance) => Math.floor(x / 2 ** distance),
      (x, distance) => x >> distance,
    ),
  ),
];
