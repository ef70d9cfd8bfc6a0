import { invalidArgument } from "../../../../../protocol/status.js";

const MAX_VARINT_BYTES = 10;

/** Appends a number as a protobuf varint; negative numbers take 64 bits. */
export function writeVarint(bytes: number[], value: bigint): void {
  let rest = BigInt.asUintN(64, value);
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
}

/**
 * Reads `count` varints.
 * @returns the numbers and the offset of the next byte.
 * @throws TensorFlowError INVALID_ARGUMENT if the bytes are truncated.
 */
export function readVarints(
  bytes: Uint8Array,
  start: number,
  count: number,
): { readonly values: readonly bigint[]; readonly end: number } {
  const values: bigint[] = [];
  let at = start;
  for (let i = 0; i < count; i += 1) {
    let value = 0n;
    for (let shift = 0; ; shift += 1) {
      const byte = bytes[at];
      if (byte === undefined || shift === MAX_VARINT_BYTES) {
        throw invalidArgument("A number of variable length has no end.");
      }
      at += 1;
      value |= BigInt(byte & 0x7f) << BigInt(7 * shift);
      if (byte < 0x80) {
        break;
      }
    }
    values.push(BigInt.asUintN(64, value));
  }
  return { values, end: at };
}
