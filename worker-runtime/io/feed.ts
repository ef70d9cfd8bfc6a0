import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { shardOf } from "../data/rows.js";
import { shapeAsFed } from "../graph/feed-shape.js";
import { isRecordFileName } from "../graph/record-file-name.js";
import { type Shape, shapeLabel, UNKNOWN_DIMENSION } from "../graph/shape.js";
import type { DType } from "../protocol/dtype.js";
import { elementsOfShape } from "../protocol/shape.js";
import {
  cancelledBy,
  invalidArgument,
  notFound,
  permissionDenied,
  TensorFlowError,
} from "../protocol/status.js";
import type { Tensor } from "../protocol/tensor.js";
import { convertTensor } from "./convert.js";
import { readCsv, readCsvStream } from "./csv.js";
import { isImageName } from "./image/decode-image.js";
import { readImageFile, readImageFolder } from "./image/image-feed.js";
import { tensorFromText } from "./literal.js";
import { isNpy, readNpy } from "./npy.js";
import { readNpz } from "./npz.js";
import { inRange, type PixelRange } from "./pixel-range.js";
import { isGzip, SIGNATURE_BYTES } from "./tfrecord/compression.js";
import { type FeedFeature, RecordFeed } from "./tfrecord/record-feed.js";
import { beginsWithRecord } from "./tfrecord/record-parser.js";
import { readTfRecords, recordsOfBytes } from "./tfrecord/records.js";
import { readWholeFile } from "./whole-file.js";
import { isZip } from "./zip.js";

/** A shape as declared by a placeholder: -1 for a dimension of any size; undefined for any rank. */
export type DeclaredShape = Shape | undefined;

/** The target of a fed value. */
export interface FeedWanted {
  /** The tensor's name, "a:0", for messages. */
  readonly tensor?: string | undefined;
  /** Defaults to the value's own dtype. */
  readonly dtype?: DType | undefined;
  readonly shape?: DeclaredShape;
}

export interface FeedFileOptions extends FeedWanted {
  /**
   * For CSV the column's name in the header or 0-based index, for .npz the array's name, for TFRecord the feature's; for a
   * folder of images "images" or "labels".
   */
  readonly column?: string | number | undefined;
  /** How a feature of a TFRecord file is read; what is left out is as the target and the records say. */
  readonly feature?: FeedFeature | undefined;
  /** The range of bytes in a tensor of real numbers; defaults to 0 to 255. */
  readonly range?: PixelRange | undefined;
  /** Every `count`th row, from row `index` on: what one of several workers takes. */
  readonly shard?: { readonly count: number; readonly index: number } | undefined;
  readonly signal?: AbortSignal | undefined;
}

function matches(shape: readonly number[], declared: DeclaredShape): boolean {
  return (
    declared === undefined ||
    (shape.length === declared.length &&
      shape.every((size, axis) => declared[axis] === UNKNOWN_DIMENSION || declared[axis] === size))
  );
}

function prefix(wanted: FeedWanted): string {
  return wanted.tensor === undefined ? "" : `Feed of ${wanted.tensor}: `;
}

/** Adds the name of the target tensor to errors. */
function forTensor<T>(wanted: FeedWanted, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw named(wanted, error);
  }
}

function named(wanted: FeedWanted, error: unknown): unknown {
  if (!(error instanceof TensorFlowError) || wanted.tensor === undefined) return error;
  return new TensorFlowError(error.code, `${prefix(wanted)}${error.message}`, { cause: error });
}

/**
 * Converts a value to the requested dtype and shape, checking the range of numbers.
 * @throws TensorFlowError INVALID_ARGUMENT that names the requested and the actual dtype or shape
 */
export function fitTensor(tensor: Tensor, wanted: FeedWanted): Tensor {
  return forTensor(wanted, () => {
    const converted = wanted.dtype === undefined ? tensor : convertTensor(tensor, wanted.dtype);
    if (matches(converted.shape, wanted.shape)) return converted;
    const count = elementsOfShape(converted.shape);
    throw invalidArgument(
      `The value has shape ${shapeLabel(converted.shape)} (${count} ${count === 1 ? "element" : "elements"}), ` +
        `but shape ${shapeLabel(wanted.shape)} is wanted.`,
    );
  });
}

/** For values from files: the wanted rows, in the range and the shape that fit (`shapeAsFed`). */
function fitFile(tensor: Tensor, wanted: FeedFileOptions): Tensor {
  const { range, shard, dtype, shape } = wanted;
  const rows =
    shard === undefined ? tensor : forTensor(wanted, () => shardOf(tensor, shard.count, shard.index));
  const scaled = inRange(rows, range, dtype);
  const fed = shapeAsFed(scaled.shape, shape);
  return fitTensor(fed === undefined ? scaled : scaled.reshape(fed), wanted);
}

/**
 * Parses a tensor from text; see `tensorFromText` for the syntax.
 * @throws TensorFlowError INVALID_ARGUMENT for invalid text and values that do not fit the dtype or shape
 */
export function feedFromText(text: string, wanted: FeedWanted = {}): Tensor {
  return fitTensor(
    forTensor(wanted, () => tensorFromText(text, wanted.dtype)),
    wanted,
  );
}

type FileKind = "npy" | "npz" | "csv" | "tfrecord";

const KIND_BY_ENDING: ReadonlyMap<string, FileKind> = new Map([
  [".npy", "npy"],
  [".npz", "npz"],
  [".csv", "csv"],
  [".tsv", "csv"],
  [".txt", "csv"],
]);
/** Detects the kind of a file by its first bytes, otherwise by its extension. */
export function fileKind(head: Uint8Array, name: string): FileKind {
  if (isNpy(head)) return "npy";
  if (isZip(head)) return "npz";
  if (beginsWithRecord(head) || isGzip(head) || isRecordFileName(name)) return "tfrecord";
  const kind = KIND_BY_ENDING.get(extname(name).toLowerCase());
  if (kind === undefined) {
    throw invalidArgument(
      `"${name}" is no file that can be fed: .npy, .npz, .csv, .tsv, .txt, .tfrecord and images can.`,
    );
  }
  return kind;
}

function arrayFile(
  kind: "npy" | "npz",
  bytes: Uint8Array,
  name: string,
  column: string | number | undefined,
): Tensor {
  if (kind === "npz") return readNpz(bytes, column === undefined ? undefined : String(column), name);
  if (column !== undefined) {
    throw invalidArgument(
      `"${name}" is a single array; only .csv, .npz and .tfrecord files have parts to choose from.`,
    );
  }
  return readNpy(bytes, name);
}

/**
 * The tensor in the content of a .npy, .npz, CSV or TFRecord file.
 * @param name its extension determines the format if the content does not
 * @throws TensorFlowError that describes the problem and its position
 */
export function feedFromBytes(bytes: Uint8Array, name: string, options: FeedFileOptions = {}): Tensor {
  const tensor = forTensor(options, () => {
    const kind = fileKind(bytes, name);
    if (kind === "tfrecord") {
      const values = new RecordFeed(name, options);
      for (const record of recordsOfBytes(bytes, name)) values.push(record);
      return values.finish();
    }
    if (kind !== "csv") return arrayFile(kind, bytes, name, options.column);
    return readCsv(bytes, { column: options.column, dtype: options.dtype, name });
  });
  return fitFile(tensor, options);
}

/** An error of the file system, in words. */
export function fileError(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !("code" in error)) return error;
  switch (error.code) {
    case "ENOENT":
      return notFound(`There is no file "${path}".`, { cause: error });
    case "EACCES":
    case "EPERM":
      return permissionDenied(`This user has no permission to read the file "${path}".`, { cause: error });
    case "EISDIR":
      return invalidArgument(`"${path}" is a folder, not a file.`, { cause: error });
    default:
      return error;
  }
}

/** The first bytes of a file, at most `length`. */
export async function readHead(path: string, length: number): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const head = new Uint8Array(length);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    return head.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * The tensor in a .npy, .npz, CSV or TFRecord file, in an image (`readImageFile`) or a folder of images (`readImageFolder`).
 * @throws TensorFlowError that describes the problem and its position; NOT_FOUND if there is no such file; CANCELLED
 */
export async function feedFromFile(path: string, options: FeedFileOptions = {}): Promise<Tensor> {
  const name = basename(path);
  const { column, dtype, signal } = options;
  try {
    if ((await stat(path)).isDirectory()) return fitFile(await readImageFolder(path, options), options);
    if (isImageName(name)) return fitFile(await readImageFile(path, options), options);
    const kind = fileKind(await readHead(path, SIGNATURE_BYTES), name);
    if (kind === "tfrecord") {
      const values = new RecordFeed(name, options);
      for await (const record of readTfRecords(path, { signal })) values.push(record);
      return fitFile(values.finish(), options);
    }
    if (kind !== "csv")
      return fitFile(arrayFile(kind, await readWholeFile(path, { signal }), name, column), options);
    const chunks = createReadStream(path, { highWaterMark: 1024 * 1024, ...(signal && { signal }) });
    return fitFile(await readCsvStream(chunks, { column, dtype, name }), options);
  } catch (error) {
    if (signal?.aborted) throw cancelledBy(signal.reason, `Reading "${name}"`);
    const explained = fileError(error, path);
    throw error instanceof TensorFlowError &&
      error.message.startsWith(prefix(options)) &&
      options.tensor !== undefined
      ? error
      : named(options, explained);
  }
}
