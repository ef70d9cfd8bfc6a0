import { pipeline, Readable, type Transform } from "node:stream";
import { createGunzip, createInflate, gunzipSync, inflateSync } from "node:zlib";
import { resourceExhausted } from "../../protocol/status.js";
import { beginsWithRecord } from "./record-parser.js";

/** How a TFRecord file is compressed, by TensorFlow's names. */
export type RecordCompression = "" | "GZIP" | "ZLIB";

/** Bytes that tell how a file is compressed. */
export const SIGNATURE_BYTES = 12;
/** The largest result of compressed bytes in memory; streams have no limit. */
const MAX_UNPACKED_BYTES = 2 ** 30;

/** How a file is compressed that is known to hold records. */
export function compressionOf(head: Uint8Array): RecordCompression {
  if (beginsWithRecord(head)) return "";
  const [first = 0, second = 0] = head;
  if (isGzip(head)) return "GZIP";
  // RFC 1950: deflate with a window of at most 32 KiB, and a multiple of 31.
  return (first & 0x8f) === 0x08 && (first * 256 + second) % 31 === 0 ? "ZLIB" : "";
}

export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** The pieces decompressed, one by one; errors of `pieces` are propagated, those of zlib thrown as they are. */
export function unpacked(
  pieces: AsyncIterable<Uint8Array>,
  compression: RecordCompression,
): AsyncIterable<Uint8Array> {
  if (compression === "") return pieces;
  const unzip: Transform = compression === "GZIP" ? createGunzip() : createInflate();
  // A failure destroys the last stream with its error, which the reader of that stream gets.
  pipeline(Readable.from(pieces, { objectMode: false }), unzip, () => undefined);
  return unzip;
}

/** @throws TensorFlowError RESOURCE_EXHAUSTED if there is too much of it; errors of zlib */
export function unpackedBytes(bytes: Uint8Array, compression: RecordCompression, name: string): Uint8Array {
  if (compression === "") return bytes;
  try {
    const options = { maxOutputLength: MAX_UNPACKED_BYTES };
    return compression === "GZIP" ? gunzipSync(bytes, options) : inflateSync(bytes, options);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw resourceExhausted(
      `"${name}" unpacks to more than ${MAX_UNPACKED_BYTES} bytes. Choose it from the disk of the application.`,
      { cause: error },
    );
  }
}
