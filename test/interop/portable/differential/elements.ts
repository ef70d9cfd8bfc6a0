/** Elements of any dtype that stand for those of another. */
import { type DType, dtypeKind, integerRange } from "../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import type { TensorElement } from "../../../../worker-runtime/protocol/tensor-values.js";

/** A tensor of elements like those of another one. */
export function converted(tensor: Tensor, dtype: DType): Tensor {
  const elements = Array.from({ length: tensor.size }, (_, i) => elementLike(tensor.at(i), dtype));
  return Tensor.of(elements, dtype, tensor.shape);
}

/** An element as near to another one's number as the dtype allows. */
export function elementLike(value: TensorElement, dtype: DType): TensorElement {
  if (dtypeKind(dtype) === "string" && (typeof value === "string" || value instanceof Uint8Array)) {
    return value;
  }
  const number = numberOf(value);
  const range = integerRange(dtype);
  if (range !== undefined) {
    const exact =
      typeof value === "bigint" ? value : BigInt(Number.isFinite(number) ? Math.round(number) : 0);
    const whole = range.min === 0n && exact < 0n ? -exact : exact;
    const inside = whole < range.min ? range.min : whole > range.max ? range.max : whole;
    return dtypeKind(dtype) === "long" ? inside : Number(inside);
  }
  switch (dtypeKind(dtype)) {
    case "bool":
      return number !== 0;
    case "string":
      return String(number);
    case "complex":
      return typeof value === "object" && "re" in value ? value : { re: number, im: number === 0 ? 0 : 1 };
    default:
      return number;
  }
}

/** Different elements have different numbers, as far as that is possible. */
function numberOf(value: TensorElement): number {
  switch (typeof value) {
    case "number":
      return value;
    case "bigint":
    case "boolean":
      return Number(value);
    case "string":
      return [...new TextEncoder().encode(value)].reduce((sum, byte) => (sum * 31 + byte) % 97, 0);
    default:
      return "re" in value ? value.re : 0;
  }
}
