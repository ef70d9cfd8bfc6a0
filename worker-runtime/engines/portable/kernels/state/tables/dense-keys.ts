import type { Tensor } from "../../../../../protocol/tensor.js";
import { isByteList } from "../../../../../protocol/tensor-data.js";
import { hash64 } from "../../string/hashes.js";

/** A key as text that no other key of its dtype and shape has. */
export function textOf({ data }: Tensor): string {
  return isByteList(data)
    ? JSON.stringify(data.map((bytes) => Buffer.from(bytes).toString("latin1")))
    : data.join();
}

/** The hash of a key as TensorFlow has it: of one number the number itself. */
export function hashOf({ data }: Tensor): bigint {
  const hashes = isByteList(data) ? data.map((bytes) => hash64(bytes)) : Array.from(data, scalarHash);
  const [first = 0n] = hashes;
  return hashes.length === 1 ? first : hashes.reduce(combined, 0n);
}

function scalarHash(value: number | bigint): bigint {
  return BigInt.asUintN(64, typeof value === "bigint" ? value : BigInt(Math.trunc(value)));
}

/** Hash64Combine of tsl/platform/hash.h. */
function combined(a: bigint, b: bigint): bigint {
  return BigInt.asUintN(64, a ^ (b + 0x9e3779b97f4a7800n + (a << 10n) + (a >> 4n)));
}
