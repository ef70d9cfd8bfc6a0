import {
  CRC_BYTES,
  HEADER_BYTES,
  isIntact,
  LENGTH_BYTES,
  recordLength,
} from "../../../../../io/tfrecord/framing.js";
import { dataLoss } from "../../../../../protocol/status.js";
import type { FileBytes, FileStep } from "./file-bytes.js";

const CARRIAGE_RETURN = 0x0d;

/** A line without the carriage return at its end. */
export function withoutReturn(line: Uint8Array): Uint8Array {
  return line.at(-1) === CARRIAGE_RETURN ? line.subarray(0, -1) : line;
}

/** A line without any carriage return. */
export function withoutReturns(line: Uint8Array): Uint8Array {
  return line.includes(CARRIAGE_RETURN) ? line.filter((byte) => byte !== CARRIAGE_RETURN) : line;
}

/**
 * Reads the next record of a TFRecord file. A failure consumes nothing, so it repeats. A file may end within a header,
 * as in TensorFlow.
 * @returns undefined after the last record.
 * @throws TensorFlowError DATA_LOSS for a truncated or corrupt record; as `FileBytes.peek`.
 */
export async function nextRecord(bytes: FileBytes, step: FileStep): Promise<Uint8Array | undefined> {
  const header = await bytes.peek(HEADER_BYTES, step);
  if (header.length < HEADER_BYTES) {
    return undefined;
  }
  const length = recordLength(header);
  check(header, LENGTH_BYTES, bytes);
  const size = HEADER_BYTES + length + CRC_BYTES;
  const whole = await bytes.peek(size, step);
  if (whole.length < size) {
    throw dataLoss(`truncated record at ${bytes.position} of ${bytes.path}`);
  }
  const framed = whole.subarray(HEADER_BYTES);
  check(framed, length, bytes);
  bytes.skip(size);
  return new Uint8Array(framed.subarray(0, length));
}

/** Verifies the checksum after the first `length` bytes. */
function check(framed: Uint8Array, length: number, { position, path }: FileBytes): void {
  if (!isIntact(framed, length)) {
    throw dataLoss(`corrupted record at ${position} of ${path}`);
  }
}

/** The layout of a file of records of one length. Bytes. */
export interface FixedLayout {
  readonly header: number;
  readonly record: number;
  readonly footer: number;
  /** From the start of one record to the start of the next; they may overlap. */
  readonly hop: number;
}

/**
 * Reads the next fixed-length record of a file whose header has been consumed.
 * @returns undefined if there is no complete record before the footer.
 * @throws TensorFlowError as `FileBytes.peek`
 */
export async function nextFixed(
  bytes: FileBytes,
  { record, footer, hop }: FixedLayout,
  step: FileStep,
): Promise<Uint8Array | undefined> {
  const ahead = await bytes.peek(Math.max(record, hop) + footer, step);
  if (ahead.length < record + footer) {
    return undefined;
  }
  const taken = new Uint8Array(ahead.subarray(0, record));
  bytes.skip(Math.min(hop, ahead.length));
  return taken;
}
