import type { DType } from "../../../../protocol/dtype.js";
import { bitsFromNumber, numbersFromBits } from "../../../../protocol/small-float.js";
import { Tensor } from "../../../../protocol/tensor.js";
import { newNumbers, numbersOf } from "./elements.js";

const word = new Float32Array(1);
const wordBits = new Uint32Array(word.buffer);

// Special cases for these two, since the general conversion (small-float.ts) takes twenty times as long.

/** The bits of the nearest bfloat16, ties to even: the upper half of a float32. */
function bfloat16Bits(value: number): number {
  if (Number.isNaN(value)) {
    return 0x7fc0;
  }
  word[0] = value;
  const bits = wordBits[0] ?? 0;
  return (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
}

/** The bits of the nearest float16, ties to even. */
function float16Bits(value: number): number {
  word[0] = value;
  const bits = wordBits[0] ?? 0;
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) {
    return sign | 0x7e00;
  }
  // From 65520 on, the nearest one is infinity.
  if (magnitude >= 0x477ff000) {
    return sign | 0x7c00;
  }
  if (magnitude < 0x38800000) {
    // Below the least normal one: adding 0.5 leaves the multiple of 2^-24 in the low bits, rounded by the processor.
    word[0] = Math.abs(value) + 0.5;
    return sign | ((wordBits[0] ?? 0) - 0x3f000000);
  }
  // 13 of the 23 bits are dropped, and the exponent has another bias.
  return sign | ((magnitude - 0x38000000 + 0xfff + ((magnitude >>> 13) & 1)) >>> 13);
}

const encoders: Partial<Record<DType, (value: number) => number>> = {
  bfloat16: bfloat16Bits,
  float16: float16Bits,
};

/** A float16 or bfloat16 tensor (or another small float) as float32; exact. */
export function toFloat32(tensor: Tensor): Tensor {
  const bits = numbersOf(tensor);
  const raw = bits instanceof Uint16Array || bits instanceof Uint8Array ? bits : Uint16Array.from(bits);
  return new Tensor("float32", tensor.shape, numbersFromBits(tensor.dtype, raw));
}

/** Numbers rounded to a dtype that is stored as raw bits. */
export function fromFloat32(dtype: DType, tensor: Tensor): Tensor {
  const numbers = numbersOf(tensor);
  const bits = newNumbers(dtype, tensor.shape);
  const encode = encoders[dtype] ?? ((value: number) => bitsFromNumber(dtype, value));
  for (let i = 0; i < numbers.length; i += 1) {
    bits[i] = encode(numbers[i] ?? 0);
  }
  return new Tensor(dtype, tensor.shape, bits);
}
