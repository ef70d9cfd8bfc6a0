import type { DType } from "../../../protocol/dtype.js";
import { Tensor } from "../../../protocol/tensor.js";
import type { OnnxValue } from "../onnx/model-builder.js";
import type { Lowering } from "./lowering.js";
import { inputAt, Writer } from "./writer.js";

/** The integers whose shifts are computed as int64, by their number of bits. ONNX shifts only unsigned ones. */
const bits = {
  int8: 8,
  int16: 16,
  int32: 32,
  int64: 64,
  uint8: 8,
  uint16: 16,
  uint32: 32,
} as const satisfies Partial<Record<DType, number>>;

const types = Object.keys(bits) as (keyof typeof bits)[];

/** Powers of two by exponent, the last of which is the lowest int64. */
const powers = Tensor.of(
  Array.from({ length: 64 }, (_, exponent) => BigInt.asIntN(64, 1n << BigInt(exponent))),
  "int64",
);

/** Two to the power of each exponent. */
function power(write: Writer, exponent: OnnxValue): OnnxValue {
  return write.same("Gather", [write.model.constant(powers), exponent]);
}

/** The quotient rounded down. @param divisor a power of two, and less than 2^63. */
function floored(write: Writer, dividend: OnnxValue, divisor: OnnxValue): OnnxValue {
  // ONNX's remainder of integers has the sign of the divisor. The difference cannot overflow: it is a multiple of the divisor.
  return write.div(write.sub(dividend, write.same("Mod", [dividend, divisor])), divisor);
}

/**
 * Shifts as products and quotients of int64. As in TensorFlow, distances are limited to what the dtype has bits for.
 * @param shift receives the operand and a distance from 0 to 63.
 */
function lowering(
  op: string,
  shift: (write: Writer, value: OnnxValue, distance: OnnxValue) => OnnxValue,
): Lowering {
  return {
    op,
    types: { T: types },
    lower: (node, inputs, context) => {
      const write = new Writer(context);
      const dtype = node.type("T") as keyof typeof bits;
      const [value, distance] = [inputAt(inputs, 0), inputAt(inputs, 1)].map((input) =>
        write.cast(input, "int64"),
      ) as [OnnxValue, OnnxValue];
      const [least, most] = [write.scalar("int64", 0), write.scalar("int64", bits[dtype] - 1)];
      const limited = write.same("Min", [write.same("Max", [distance, least]), most]);
      return [write.cast(shift(write, value, limited), dtype)];
    },
  };
}

/** Shifts of integers. */
export const shiftLowerings: readonly Lowering[] = [
  lowering("LeftShift", (write, value, distance) => write.mul(value, power(write, distance))),
  // In two steps: 2^63 is no int64.
  lowering("RightShift", (write, value, distance) => {
    const half = write.div(distance, write.scalar("int64", 2));
    const once = floored(write, value, power(write, half));
    return floored(write, once, power(write, write.sub(distance, half)));
  }),
];
