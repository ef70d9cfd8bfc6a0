import { type DType, itemSize } from "../../../../protocol/dtype.js";
import { internalError } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import type { KernelDefinition } from "../kernel.js";
import { pureKernel } from "../support/define.js";
import { longTypes, shortIntTypes } from "../support/dtypes.js";
import { inputAt } from "../support/elements.js";
import {
  applyBinary,
  type BinaryOp,
  binaryCost,
  binaryKernel,
  binaryLoop,
  longLoop,
  longUnaryLoop,
  unaryKernel,
  unaryLoop,
} from "../support/elementwise.js";

const shiftedTypes: readonly DType[] = [...shortIntTypes, ...longTypes];

/**
 * A shift of integers of this many bits. TensorFlow clamps distances outside of the type to 0 … bits - 1 instead of
 * leaving them to the processor.
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

function shiftKernel(op: string, make: (dtype: DType) => BinaryOp): KernelDefinition {
  const byType = new Map(
    shiftedTypes.map((dtype) => {
      const shifts = make(dtype);
      return [dtype, { shifts, cost: binaryCost(shifts) }] as const;
    }),
  );
  const of = ({ dtype }: Tensor) => byType.get(dtype) ?? unknownType(dtype);
  return pureKernel(
    op,
    () => (inputs) => [applyBinary(of(inputAt(inputs, 0)).shifts, inputAt(inputs, 0), inputAt(inputs, 1))],
    {
      types: { T: shiftedTypes },
      cost: (node, inputs) => of(inputAt(inputs, 0)).cost(node, inputs),
    },
  );
}

function unknownType(dtype: DType): never {
  throw internalError(`No shift is known for ${dtype}.`);
}

/** Operations on the bits of integers. */
export const bitwiseKernels: readonly KernelDefinition[] = [
  binaryKernel("BitwiseAnd", { ints: binaryLoop((x, y) => x & y), longs: longLoop((x, y) => x & y) }),
  binaryKernel("BitwiseOr", { ints: binaryLoop((x, y) => x | y), longs: longLoop((x, y) => x | y) }),
  binaryKernel("BitwiseXor", { ints: binaryLoop((x, y) => x ^ y), longs: longLoop((x, y) => x ^ y) }),
  unaryKernel("Invert", { ints: unaryLoop((x) => ~x), longs: longUnaryLoop((x) => ~x) }),
  shiftKernel("LeftShift", (dtype) =>
    shift(
      8 * itemSize(dtype),
      (x, distance) => x << distance,
      (x, distance) => x << distance,
    ),
  ),
  // >> would convert an unsigned 32-bit number to a signed one.
  shiftKernel("RightShift", (dtype) =>
    shift(
      8 * itemSize(dtype),
      dtype === "uint32" ? (x, distance) => x >>> distance : (x, distance) => x >> distance,
      (x, distance) => x >> distance,
    ),
  ),
];
