/**
 * The protocol of a bulk connection: a preamble from the connecting side, and parts of answers from the other side.
 * Each part is a head and then its bytes. All numbers are little endian.
 */

/** No HTTP/2 connection begins like this: they begin with "PRI". */
const MAGIC = Buffer.from("\0TDBULK1");

/** The header of a stream that announces the key of its bulk connection. */
export const BULK_KEY_HEADER = "tensordeck-bulk-bin";

/** Answers from this size on use the bulk connection, if there is one. */
export const BULK_BYTES = 64 * 1024;

/** Maximum bytes of a part. Nothing small waits behind them, but a slow network must take one within the silence limit. */
export const BULK_PART_BYTES = 1024 * 1024;

/** Bytes of the secret that assigns a bulk connection to a stream. */
export const BULK_KEY_BYTES = 16;

const PREAMBLE_BYTES = MAGIC.byteLength + BULK_KEY_BYTES;

/** Bytes before those of a part. */
export const PART_HEAD_BYTES = 16;

/** The header of a part. */
export interface PartHead {
  readonly callId: number;
  /** Bytes of the whole answer, in its first part; 0 in the others. */
  readonly size: number;
  /** As in StreamPayload; 0 in all but the first part. */
  readonly alignedOffset: number;
  /** Bytes that follow. */
  readonly partBytes: number;
}

/** The beginning of a bulk connection. @param key what the other side's headers said */
export function encodePreamble(key: Uint8Array): Buffer {
  return Buffer.concat([MAGIC, key]);
}

/**
 * Reads the beginning of a connection.
 * @returns the key of a bulk connection, "more" if more bytes are needed, "other" for anything else.
 */
export function readPreamble(bytes: Buffer): Buffer | "more" | "other" {
  const known = Math.min(bytes.byteLength, MAGIC.byteLength);
  if (!bytes.subarray(0, known).equals(MAGIC.subarray(0, known))) {
    return "other";
  }
  return bytes.byteLength < PREAMBLE_BYTES ? "more" : bytes.subarray(MAGIC.byteLength, PREAMBLE_BYTES);
}

/** The callId of no call: a header without bytes that shows that the connection is alive. */
export const HEARTBEAT_CALL_ID = 0;

/**
 * Written by the server from time to time, so that the caller can distinguish a connection without answers from a dead
 * one.
 */
export function encodeHeartbeat(): Buffer {
  return encodePartHead({ callId: HEARTBEAT_CALL_ID, size: 0, alignedOffset: 0, partBytes: 0 });
}

export function encodePartHead({ callId, size, alignedOffset, partBytes }: PartHead): Buffer {
  const head = Buffer.allocUnsafe(PART_HEAD_BYTES);
  head.writeUInt32LE(callId, 0);
  head.writeUInt32LE(size, 4);
  head.writeUInt32LE(alignedOffset, 8);
  head.writeUInt32LE(partBytes, 12);
  return head;
}

/** @param head PART_HEAD_BYTES bytes */
export function decodePartHead(head: Buffer): PartHead {
  return {
    callId: head.readUInt32LE(0),
    size: head.readUInt32LE(4),
    alignedOffset: head.readUInt32LE(8),
    partBytes: head.readUInt32LE(12),
  };
}
