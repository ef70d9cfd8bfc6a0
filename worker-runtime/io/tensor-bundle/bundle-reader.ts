import { type FileHandle, open } from "node:fs/promises";
import type { BundleEntryProto } from "../../../protos/generated/tensorflow/tensor_bundle.js";
import { dtypeOf, itemSize } from "../../protocol/dtype.js";
import { elementsOfShape, shapeFromProto } from "../../protocol/shape.js";
import { dataLoss, unimplemented } from "../../protocol/status.js";
import { Tensor } from "../../protocol/tensor.js";
import { arrayFromBytes } from "../../protocol/tensor-data.js";
import { fileError } from "../file-errors.js";
import { readWholeFile } from "../whole-file.js";
import { assembleSlices, type SavedSlicePart } from "./assemble-slices.js";
import { type BundleFiles, dataPath, indexPath } from "./bundle-files.js";
import { type BundleIndex, entryOf, keyOfName, parseIndex } from "./bundle-index.js";
import { crc32c, unmaskCrc } from "./crc32c.js";
import type { CheckpointReader, SavedTensorInfo } from "./saved-tensors.js";
import { parseStrings } from "./string-elements.js";
import { fullSlice, sliceFromProto, sliceKey, type TensorSlice } from "./tensor-slice.js";

/** Bytes that are read and checked at a time: a few milliseconds. */
const CHUNK_BYTES = 4 * 1024 * 1024;

/** An index has about a hundred bytes per tensor. */
const MAX_INDEX_BYTES = 256 * 1024 * 1024;

/**
 * Reads a checkpoint of version 2. No memory is allocated based on the index alone: an element's bytes
 * must exist in the file. Every reader must be closed with `close`.
 */
export class BundleReader implements CheckpointReader {
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
   * @throws TensorFlowError NOT_FOUND if there is no index; DATA_LOSS if it is damaged.
   */
  static async open(prefix: string, files: BundleFiles): Promise<BundleReader> {
    const path = await files.resolve(indexPath(prefix), "read");
    try {
      const bytes = await readWholeFile(path, { maxBytes: MAX_INDEX_BYTES });
      return new BundleReader(prefix, files, parseIndex(bytes, path));
    } catch (error) {
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
  info(name: string): SavedTensorInfo {
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
    const partOf = (part: TensorSlice, stored: BundleEntryProto): SavedSlicePart => ({
      slice: part,
      read: () => this.#readEntry(stored, name),
    });
    const parts =
      entry.slices.length === 0
        ? [partOf(fullSlice(info.shape.length), entry)]
        : entry.slices.map((proto) => {
            const part = sliceFromProto(proto);
            const key = Buffer.from(sliceKey(Buffer.from(name), part)).toString("latin1");
            return partOf(part, entryOf(this.#index, key));
          });
    return assembleSlices({ name, info, wanted, parts });
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

  #infoOf(entry: BundleEntryProto, name: string): SavedTensorInfo {
    try {
      const shape = shapeFromProto(entry.shape);
      elementsOfShape(shape);
      return { dtype: dtypeOf(entry.dtype), shape };
    } catch (error) {
      throw dataLoss(`Invalid tensor shape: ${name}`, { cause: error });
    }
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
