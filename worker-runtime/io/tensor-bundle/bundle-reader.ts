import { type FileHandle, open } from "node:fs/promises";
import type { BundleEntryProto } from "../../../protos/generated/tensorflow/tensor_bundle.js";
import { type DType, dtypeOf, itemSize } from "../../protocol/dtype.js";
import { elementsOfShape, shapeFromProto, shapeText } from "../../protocol/shape.js";
import { dataLoss, invalidArgument, unimplemented } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import {
  arrayFromBytes,
  entriesPerElement,
  isByteList,
  type TensorData,
  zeros,
} from "../../protocol/tensor-data.js";
import { fileError } from "../file-errors.js";
import { readWholeFile } from "../whole-file.js";
import { type BundleFiles, dataPath, indexPath } from "./bundle-files.js";
import { type BundleIndex, entryOf, keyOfName, parseIndex } from "./bundle-index.js";
import { crc32c, unmaskCrc } from "./crc32c.js";
import { parseStrings } from "./string-elements.js";
import { TABLE_MAGIC } from "./table-format.js";
import {
  fullSlice,
  overlapsOf,
  sliceFromProto,
  sliceKey,
  sliceShape,
  sliceText,
  type TensorSlice,
} from "./tensor-slice.js";

/** Bytes that are read and checked at a time: a few milliseconds. */
const CHUNK_BYTES = 4 * 1024 * 1024;

/** An index has about a hundred bytes per tensor. */
const MAX_INDEX_BYTES = 256 * 1024 * 1024;

/**
 * The dtypes for which TensorFlow restores slices that are not stored as such (`BundleReader::GetSliceValue`, measured
 * with 2.21). It rejects all others, even if a partitioned tensor is restored as a whole.
 */
const SLICEABLE: ReadonlySet<DType> = new Set([
  "float32",
  "float64",
  "bfloat16",
  "int8",
  "int16",
  "int32",
  "int64",
  "uint8",
  "bool",
  "complex64",
  "complex128",
  "qint8",
  "quint8",
  "qint32",
  "int4",
  "uint4",
]);

/** TensorFlow's C++ names of dtypes that differ from Python's; only of dtypes that are not sliceable. */
const TEXTS_OF_DTYPES: Partial<Record<DType, string>> = { float16: "half" };

/** dtype and shape of a tensor in a checkpoint. */
export interface BundleTensorInfo {
  readonly dtype: DType;
  readonly shape: readonly number[];
}

/**
 * Reads a checkpoint in TensorFlow's own format. No memory is allocated based on the index alone: an element's bytes
 * must exist in the file. Every reader must be closed with `close`.
 */
export class BundleReader {
  readonly #prefix: string;
  readonly #files: BundleFiles;
  readonly #index: BundleIndex;
  readonly #shards = new Map<number, Promise<{ readonly handle: FileHandle; readonly size: number }>>();

  private constructor(prefix: string, files: BundleFiles, index: BundleIndex) {
    this.#prefix = prefix;
    this.#files = files;
    this.#index = index;
  }

  /**
   * Opens a checkpoint.
   * @param prefix the common prefix of its file paths.
   * @throws TensorFlowError NOT_FOUND if there is no index; DATA_LOSS if it is damaged; UNIMPLEMENTED for a checkpoint of
   *   version 1, which is one file.
   */
  static async open(prefix: string, files: BundleFiles): Promise<BundleReader> {
    const path = await files.resolve(indexPath(prefix), "read");
    try {
      const bytes = await readWholeFile(path, { maxBytes: MAX_INDEX_BYTES });
      return new BundleReader(prefix, files, parseIndex(bytes, path));
    } catch (error) {
      const table = await files.resolve(prefix, "read");
      if (isMissing(error) && (await isTable(table))) throw ofVersion1(prefix);
      throw fileError(error, indexPath(prefix));
    }
  }

  /** The sorted names of its tensors, without the slices of partitioned ones. */
  names(): readonly string[] {
    // The keys of slices begin with a zero byte, which no name does.
    return [...this.#index.entries.keys()]
      .filter((key) => !key.startsWith("\0"))
      .map((key) => Buffer.from(key, "latin1").toString("utf8"));
  }

  /** @throws TensorFlowError NOT_FOUND "Key x not found in checkpoint". */
  info(name: string): BundleTensorInfo {
    return this.#infoOf(entryOf(this.#index, keyOfName(name)), name);
  }

  /**
   * Reads a tensor or a slice of one.
   *
   * @throws TensorFlowError NOT_FOUND, DATA_LOSS; INVALID_ARGUMENT for a slice outside of the stored ones, or of a
   *   dtype for which TensorFlow does not restore slices.
   */
  async read(name: string, slice?: TensorSlice): Promise<Tensor> {
    const entry = entryOf(this.#index, keyOfName(name));
    const info = this.#infoOf(entry, name);
    if (entry.slices.length === 0 && slice === undefined) {
      return this.#readEntry(entry, name);
    }
    const wanted = slice ?? fullSlice(info.shape.length);
    const shape = sliceShape(info.shape, wanted);
    const parts: { readonly slice: TensorSlice; readonly entry: BundleEntryProto }[] =
      entry.slices.length === 0
        ? [{ slice: fullSlice(info.shape.length), entry }]
        : entry.slices.map((proto) => {
            const part = sliceFromProto(proto);
            return {
              slice: part,
              entry: entryOf(this.#index, Buffer.from(sliceKey(Buffer.from(name), part)).toString("latin1")),
            };
          });
    return this.#assemble(name, info, wanted, shape, parts);
  }

  async close(): Promise<void> {
    for (const shard of this.#shards.values()) {
      await shard.then(
        ({ handle }) => handle.close(),
        () => undefined,
      );
    }
    this.#shards.clear();
  }

  #infoOf(entry: BundleEntryProto, name: string): BundleTensorInfo {
    try {
      const shape = shapeFromProto(entry.shape);
      elementsOfShape(shape);
      return { dtype: dtypeOf(entry.dtype), shape };
    } catch (error) {
      throw dataLoss(`Invalid tensor shape: ${name}`, { cause: error });
    }
  }

  async #assemble(
    name: string,
    info: BundleTensorInfo,
    wanted: TensorSlice,
    shape: readonly number[],
    parts: readonly { readonly slice: TensorSlice; readonly entry: BundleEntryProto }[],
  ): Promise<Tensor> {
    const count = elementsOfShape(shape);
    const used: { readonly slice: TensorSlice; readonly entry: BundleEntryProto; readonly common: number }[] =
      [];
    let covered = 0;
    for (const { slice, entry } of parts) {
      let common = 0;
      for (const overlap of overlapsOf(info.shape, slice, wanted)) {
        common += overlap.count;
      }
      if (common > 0) {
        covered += common;
        used.push({ slice, entry, common });
      }
    }
    if (covered < count) {
      throw invalidArgument(
        `Does not have sufficient slices for partitioned tensor ${name} to restore in slice_spec: ${sliceText(wanted)}`,
      );
    }
    // A stored slice equal to the requested one is read directly; anything else is copied from slices.
    const isExact = used.some(
      ({ slice, common }) => common === count && elementsOfShape(sliceShape(info.shape, slice)) === count,
    );
    if (count > 0 && !isExact && !SLICEABLE.has(info.dtype)) {
      throw invalidArgument(`Dtype ${TEXTS_OF_DTYPES[info.dtype] ?? info.dtype} not supported.`);
    }
    // The slices are read first: their size is limited by the files, so a shape alone allocates nothing.
    const sources: { readonly tensor: Tensor; readonly slice: TensorSlice }[] = [];
    for (const { slice, entry } of used) {
      const partShape = sliceShape(info.shape, slice);
      const tensor = await this.#readEntry(entry, name);
      if (tensor.dtype !== info.dtype || shapeText(tensor.shape) !== shapeText(partShape)) {
        throw dataLoss(
          `The part ${sliceText(slice)} of ${name} has another dtype or shape than ${name} itself.`,
        );
      }
      sources.push({ tensor, slice });
    }
    const data = zeros(info.dtype, count);
    for (const { tensor, slice } of sources) {
      for (const overlap of overlapsOf(info.shape, slice, wanted)) {
        copyElements(info.dtype, tensor.data, data, overlap);
      }
    }
    return new Tensor(info.dtype, shape, data);
  }

  async #readEntry(entry: BundleEntryProto, name: string): Promise<Tensor> {
    const { dtype, shape } = this.#infoOf(entry, name);
    if (dtype === "resource" || dtype === "variant") {
      throw unimplemented(`${name} is a ${dtype}, which cannot be restored.`);
    }
    const count = elementsOfShape(shape);
    const size = Number(entry.size);
    const expected = count * itemSize(dtype);
    if (dtype !== "string" && size !== expected) {
      throw dataLoss(
        `Invalid size in bundle entry: key ${name}; stored size ${entry.size}; expected size ${expected}`,
      );
    }
    const { bytes, checksum } = await this.#readBytes(entry.shardId, Number(entry.offset), size, name);
    const strings = dtype === "string" ? parseStrings(bytes, count, name) : undefined;
    const actual = strings?.checksum ?? checksum;
    if (unmaskCrc(entry.crc32c) !== actual) {
      throw dataLoss(
        `TensorBundle at ${this.#prefix} shard ${entry.shardId} (${size} bytes): Checksum does not match: ` +
          `stored ${unmaskCrc(entry.crc32c)} vs. calculated on the restored bytes ${actual}`,
      );
    }
    return new Tensor(dtype, shape, strings?.strings ?? arrayFromBytes(dtype, bytes));
  }

  async #readBytes(shard: number, offset: number, size: number, name: string) {
    const path = dataPath(this.#prefix, shard, this.#index.shards);
    const file = await this.#shard(shard, path);
    if (offset < 0 || size < 0 || !Number.isSafeInteger(offset + size) || offset + size > file.size) {
      throw dataLoss(`${name} lies beyond the end of ${path} (${offset} + ${size} of ${file.size} bytes).`);
    }
    const bytes = new Uint8Array(size);
    let checksum = 0;
    try {
      for (let at = 0; at < size; ) {
        const { bytesRead } = await file.handle.read(
          bytes,
          at,
          Math.min(CHUNK_BYTES, size - at),
          offset + at,
        );
        if (bytesRead === 0) {
          throw dataLoss(`${path} became shorter while it was read.`);
        }
        checksum = crc32c(bytes.subarray(at, at + bytesRead), checksum);
        at += bytesRead;
      }
    } catch (error) {
      throw fileError(error, path);
    }
    return { bytes, checksum };
  }

  #shard(shard: number, path: string) {
    const open = this.#shards.get(shard) ?? this.#openShard(path);
    this.#shards.set(shard, open);
    return open;
  }

  async #openShard(path: string) {
    try {
      const handle = await open(await this.#files.resolve(path, "read"), "r");
      const { size } = await handle.stat();
      return { handle, size };
    } catch (error) {
      throw fileError(error, path);
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

/** True if a file ends as LevelDB's tables do. */
async function isTable(path: string): Promise<boolean> {
  const file = await open(path).catch(() => undefined);
  if (!file) return false;
  try {
    const { size } = await file.stat();
    const end = Buffer.alloc(TABLE_MAGIC.length);
    const { bytesRead } = await file.read(end, 0, end.length, Math.max(0, size - end.length));
    return bytesRead === end.length && end.equals(Buffer.from(TABLE_MAGIC));
  } catch {
    return false;
  } finally {
    await file.close();
  }
}

function ofVersion1(prefix: string): Error {
  return unimplemented(
    `${prefix} is a checkpoint of version 1, as tf.train.Saver(write_version=tf.train.SaverDef.V1) writes it; version 2 ` +
      "is read here. Restore it in TensorFlow, and save it with a Saver that is not told a version.",
  );
}

function copyElements(
  dtype: DType,
  source: TensorData,
  target: TensorData,
  { from, to, count }: { readonly from: number; readonly to: number; readonly count: number },
): void {
  if (isByteList(source)) {
    for (let index = 0; index < count; index += 1) {
      (target as Uint8Array[])[to + index] = source[from + index] ?? new Uint8Array(0);
    }
    return;
  }
  const width = entriesPerElement(dtype);
  // Both arrays have the same dtype, which TypeScript cannot infer from the union.
  (target as Uint8Array).set(source.subarray(from * width, (from + count) * width) as Uint8Array, to * width);
}
