/** The dtypes that Keras computes in when operands have different ones: keras.backend.result_type. */
import { type DType, itemSize } from "../../protocol/dtype.js";

/** A tensor's dtype, or that of a number in Python, which takes on the dtype of what it meets. */
export type Operand = DType | "int" | "float";

const bits = (dtype: DType) => 8 * itemSize(dtype);
const widest = (dtypes: readonly DType[]) => Math.max(0, ...dtypes.map(bits));

export function resultType(operands: readonly Operand[]): DType {
  const dtypes = operands.filter((one): one is DType => one !== "int" && one !== "float");
  const floats = dtypes.filter((one) => /float/.test(one));
  const [first] = floats;
  if (first) {
    // bfloat16 and float16 have no other common dtype.
    if (floats.every((one) => one === first)) return first;
    return widest(floats) > 32 ? "float64" : "float32";
  }
  if (operands.includes("float")) return "float32";
  const signed = dtypes.filter((one) => one.startsWith("int"));
  const unsigned = dtypes.filter((one) => one.startsWith("uint"));
  if (signed.length > 0) {
    const size = Math.max(widest(signed), 2 * widest(unsigned));
    // No integer has all values of uint64 and negative ones.
    return size > 64
      ? "float32"
      : size === 64
        ? "int64"
        : size === 32
          ? "int32"
          : size === 16
            ? "int16"
            : "int8";
  }
  const [most] = [...unsigned].sort((one, other) => bits(other) - bits(one));
  if (most) return most;
  return operands.includes("int") ? "int32" : "bool";
}
