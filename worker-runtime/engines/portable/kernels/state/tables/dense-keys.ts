import { isByteList, type TensorData } from "../../../../../protocol/tensor-data.js";
import { hash64 } from "../../../hash64.js";

/** TensorFlow's hash of a key of `length` elements starting at `from`: a single number is its own hash. */
export function hashAt(data: TensorData, from: number, length: number): bigint {
  let hash = elementHash(data, from);
  if (length !== 1) {
    hash = 0n;
    for (let i = from; i < from + length; i += 1) {
      hash = combined(hash, elementHash(data, i));
    }
  }
  return hash;
}

/** Whether two keys of one dtype and `length` elements are equal; NaN equals itself. */
export function isSameKey(a: TensorData, i: number, b: TensorData, j: number, length: number): boolean {
  for (let k = 0; k < length; k += 1) {
    if (!isSameElement(a[i + k], b[j + k])) {
      return false;
    }
  }
  return true;
}

type Element = TensorData[number] | undefined;

function isSameElement(a: Element, b: Element): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    return a.length === b.length && Buffer.compare(a, b) === 0;
  }
  return a === b || (Number.isNaN(a) && Number.isNaN(b));
}

function elementHash(data: TensorData, at: number): bigint {
  return isByteList(data) ? hash64(data[at] ?? new Uint8Array(0)) : scalarHash(data[at] ?? 0);
}

function scalarHash(value: number | bigint): bigint {
  return BigInt.asUintN(64, typeof value === "bigint" ? value : BigInt(Math.trunc(value)));
}

/** Hash64Combine of tsl/platform/hash.h. */
function combined(a: bigint, b: bigint): bigint {
  return BigInt.asUintN(64, a ^ (b + 0x9e3779b97f4a7800n + (a << 10n) + (a >> 4n)));
}
