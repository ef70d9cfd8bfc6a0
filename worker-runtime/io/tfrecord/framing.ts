/**
 * The frame of a record in a TFRecord file, as in TensorFlow's lib/io/record_writer: its length (uint64,
 * little-endian), the masked CRC-32C of that length, its bytes, and their masked CRC-32C.
 */
import { crc32c, maskCrc, unmaskCrc } from "../tensor-bundle/crc32c.js";

export const LENGTH_BYTES = 8;
export const CRC_BYTES = 4;
/** The length and its checksum. */
export const HEADER_BYTES = LENGTH_BYTES + CRC_BYTES;

/** A record in its frame. */
export function frameRecord(record: Uint8Array): Uint8Array {
  const framed = new Uint8Array(HEADER_BYTES + record.length + CRC_BYTES);
  const view = viewOf(framed);
  view.setBigUint64(0, BigInt(record.length), true);
  view.setUint32(LENGTH_BYTES, maskCrc(crc32c(framed.subarray(0, LENGTH_BYTES))), true);
  framed.set(record, HEADER_BYTES);
  view.setUint32(HEADER_BYTES + record.length, maskCrc(crc32c(record)), true);
  return framed;
}

/** The length of the record whose header this is; beyond 2^53 it is not exact. */
export function recordLength(header: Uint8Array): number {
  return Number(viewOf(header).getBigUint64(0, true));
}

/** Whether the checksum behind the first `length` bytes is theirs. */
export function isIntact(framed: Uint8Array, length: number): boolean {
  return unmaskCrc(viewOf(framed).getUint32(length, true)) === crc32c(framed.subarray(0, length));
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
