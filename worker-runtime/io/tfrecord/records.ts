/** TFRecord files: sequences of records, as tf.io.TFRecordWriter and tf.data.TFRecordDataset have them. */
import { createReadStream, createWriteStream } from "node:fs";
import { basename } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createDeflate, createGzip } from "node:zlib";
import { cancelledBy, dataLoss, TensorFlowError } from "../../protocol/status.js";
import { withFileErrors } from "../file-errors.js";
import {
  compressionOf,
  type RecordCompression,
  SIGNATURE_BYTES,
  unpacked,
  unpackedBytes,
} from "./compression.js";
import { frameRecord } from "./framing.js";
import { type DamageListener, RecordParser } from "./record-parser.js";

const PIECE_BYTES = 1024 * 1024;

export interface ReadRecordsOptions {
  /** Found out by the first bytes unless given. */
  readonly compression?: RecordCompression | undefined;
  /**
   * Damaged records are skipped, and each is told with its number and offset; without it the first one is an error. Of a
   * compressed file that cannot be decompressed the rest is skipped.
   */
  readonly onDamage?: DamageListener | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * The records of a TFRecord file, one by one, whatever its size: of the file only the record in progress and a piece of
 * it are in memory. The file is closed when the loop over it ends, also early.
 * @throws TensorFlowError DATA_LOSS with record number and offset for a damaged or cut file; NOT_FOUND, …; CANCELLED
 */
export async function* readTfRecords(
  path: string,
  options: ReadRecordsOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const { signal } = options;
  const name = basename(path);
  const pieces = createReadStream(path, { highWaterMark: PIECE_BYTES, ...(signal && { signal }) });
  try {
    yield* recordsOf(pieces, name, options);
  } catch (error) {
    if (signal?.aborted) throw cancelledBy(signal.reason, `Reading "${name}"`);
    await withFileErrors(path, () => Promise.reject(error));
  } finally {
    pieces.destroy();
  }
}

/** As `readTfRecords`, of the pieces of a file. @param name names the file in errors */
export async function* recordsOf(
  pieces: AsyncIterable<Uint8Array>,
  name: string,
  { compression, onDamage }: ReadRecordsOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const { head, whole } = await withHead(pieces);
  const packed = compression ?? compressionOf(head);
  const parser = new RecordParser(name, packed !== "", onDamage);
  const read = unpacked(whole, packed)[Symbol.asyncIterator]();
  try {
    for (;;) {
      const piece = await read.next().catch((error: unknown) => {
        const explained = unpackError(error, parser, packed);
        if (!onDamage || explained === error || !(explained instanceof TensorFlowError)) throw explained;
        onDamage(explained);
      });
      if (!piece) return;
      if (piece.done) break;
      yield* parser.push(piece.value);
    }
    parser.end();
  } finally {
    await read.return?.();
  }
}

/** The records in the content of a TFRecord file. @throws TensorFlowError as `readTfRecords` */
export function* recordsOfBytes(bytes: Uint8Array, name: string): Generator<Uint8Array, void, undefined> {
  const packed = compressionOf(bytes);
  const parser = new RecordParser(name, packed !== "");
  let content: Uint8Array;
  try {
    content = unpackedBytes(bytes, packed, name);
  } catch (error) {
    throw unpackError(error, parser, packed);
  }
  yield* parser.push(content);
  parser.end();
}

export interface WriteRecordsOptions {
  readonly compression?: RecordCompression | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes records to a file, replacing what was in it; they are taken as fast as the disk takes them.
 * @returns how many they were
 * @throws TensorFlowError NOT_FOUND, PERMISSION_DENIED, … of the file; CANCELLED; errors of `records`. The file then
 *   holds the records before.
 */
export async function writeTfRecords(
  path: string,
  records: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { compression = "", signal }: WriteRecordsOptions = {},
): Promise<number> {
  let count = 0;
  const frames = async function* () {
    for await (const record of records) {
      yield frameRecord(record);
      count += 1;
    }
  };
  const source = Readable.from(frames(), { objectMode: false });
  const sink = createWriteStream(path);
  const options = signal ? { signal } : {};
  try {
    if (compression === "") await pipeline(source, sink, options);
    else await pipeline(source, compression === "GZIP" ? createGzip() : createDeflate(), sink, options);
  } catch (error) {
    if (signal?.aborted) throw cancelledBy(signal.reason, `Writing "${basename(path)}"`);
    if (!(error instanceof Error && "code" in error && "syscall" in error)) throw error;
    await withFileErrors(path, () => Promise.reject(error));
  }
  return count;
}

/** The first bytes of a stream, and all of it. */
async function withHead(
  pieces: AsyncIterable<Uint8Array>,
): Promise<{ readonly head: Uint8Array; readonly whole: AsyncIterable<Uint8Array> }> {
  const read = pieces[Symbol.asyncIterator]();
  const taken: Uint8Array[] = [];
  let length = 0;
  while (length < SIGNATURE_BYTES) {
    const { done, value } = await read.next();
    if (done) break;
    taken.push(value);
    length += value.length;
  }
  const whole = async function* () {
    yield* taken;
    yield* { [Symbol.asyncIterator]: () => read };
  };
  return { head: Buffer.concat(taken), whole: whole() };
}

/** zlib's error about bytes that it cannot decompress; other errors stay as they are. */
function unpackError(error: unknown, parser: RecordParser, compression: RecordCompression): unknown {
  if (error instanceof TensorFlowError || !(error instanceof Error) || !("code" in error)) return error;
  if (typeof error.code !== "string" || !error.code.startsWith("Z_")) return error;
  const how =
    error.code === "Z_BUF_ERROR" ? "the file ends within it" : `it cannot be decompressed (${error.message})`;
  return dataLoss(`${parser.position}: ${how}. It is a ${compression} file that is damaged or cut.`, {
    cause: error,
  });
}
