import { type FileHandle, mkdir, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { BundleEntryProto } from "../../../protos/generated/tensorflow/tensor_bundle.js";
import { dataTypeOf } from "../../protocol/dtype.js";
import { shapeToProto } from "../../protocol/shape.js";
import { invalidArgument, unimplemented } from "../../protocol/status.js";
import type { Tensor } from "../../protocol/tensor.js";
import { bytesOfArray, isByteList } from "../../protocol/tensor-data.js";
import { fileError } from "../file-errors.js";
import { removeAbandonedFiles } from "../unfinished-files.js";
import { type BundleFiles, dataPath, indexPath, temporaryPath } from "./bundle-files.js";
import { keyOfName } from "./bundle-index.js";
import { crc32c, maskCrc } from "./crc32c.js";
import { publishBundle } from "./publish-bundle.js";
import { stringContent } from "./string-elements.js";
import { isFullSlice, type ShapeAndSlice, sliceKey, sliceToProto } from "./tensor-slice.js";

/** Bytes that are checked and written at a time: a few milliseconds. */
const CHUNK_BYTES = 4 * 1024 * 1024;

/** The data file while it is written. */
interface DataFile {
  readonly temporary: string;
  readonly handle: FileHandle;
}

/**
 * Writes a checkpoint in TensorFlow's own format: a data file and an index. Until both are complete, and after a crash,
 * a checkpoint of the same name stays as it was. Every writer must end with `finish` or `abandon`.
 */
export class BundleWriter {
  readonly #prefix: string;
  readonly #files: BundleFiles;
  readonly #data: DataFile;
  readonly #entries = new Map<string, BundleEntryProto>();
  #offset = 0;

  private constructor(prefix: string, files: BundleFiles, data: DataFile) {
    this.#prefix = prefix;
    this.#files = files;
    this.#data = data;
  }

  /**
   * Begins a checkpoint; creates its folder if missing.
   * @param prefix the common prefix of both file paths.
   * @throws TensorFlowError errors of `files`, and if files cannot be created.
   */
  static async create(prefix: string, files: BundleFiles): Promise<BundleWriter> {
    const path = await files.resolve(dataPath(prefix, 0, 1), "write");
    // Refused now rather than when everything is written.
    await files.resolve(indexPath(prefix), "write");
    const temporary = temporaryPath(path);
    try {
      await mkdir(dirname(path), { recursive: true });
      await removeAbandonedFiles(dirname(path));
      return new BundleWriter(prefix, files, { temporary, handle: await open(temporary, "wx") });
    } catch (error) {
      throw fileError(error, prefix);
    }
  }

  /** Adds a tensor. @throws TensorFlowError INVALID_ARGUMENT for a name that already exists. */
  add(name: string, tensor: Tensor): Promise<void> {
    return this.#add(keyOfName(name), tensor);
  }

  /** Adds a slice of a tensor; its slices may be in several checkpoints that are merged later. */
  async addSlice(name: string, { fullShape, slice }: ShapeAndSlice, tensor: Tensor): Promise<void> {
    if (isFullSlice(fullShape, slice)) {
      return this.add(name, tensor);
    }
    const key = keyOfName(name);
    const whole = this.#entries.get(key);
    if (whole !== undefined && whole.slices.length === 0) {
      throw invalidArgument(`Adding duplicate key: ${name}`);
    }
    this.#entries.set(
      key,
      BundleEntryProto.fromPartial({
        dtype: dataTypeOf(tensor.dtype),
        shape: shapeToProto(fullShape),
        slices: [...(whole?.slices ?? []), sliceToProto(slice)],
      }),
    );
    await this.#add(Buffer.from(sliceKey(Buffer.from(name), slice)).toString("latin1"), tensor);
  }

  /** Completes both files. Nothing can be added afterwards. */
  async finish(): Promise<void> {
    const { handle, temporary } = this.#data;
    try {
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
      await publishBundle(this.#prefix, this.#files, { shards: [temporary], entries: this.#entries });
    } catch (error) {
      await rm(temporary, { force: true });
      throw fileError(error, this.#prefix);
    }
  }

  /** Discards the checkpoint and removes its files. */
  async abandon(): Promise<void> {
    await this.#data.handle.close();
    await rm(this.#data.temporary, { force: true });
  }

  async #add(key: string, tensor: Tensor): Promise<void> {
    if (key === "" || this.#entries.has(key)) {
      throw invalidArgument(`Adding duplicate key: ${key}`);
    }
    if (tensor.dtype === "resource" || tensor.dtype === "variant") {
      throw unimplemented(`A tensor of ${tensor.dtype} cannot be saved (${key}).`);
    }
    const offset = this.#offset;
    const entry = {
      dtype: dataTypeOf(tensor.dtype),
      shape: shapeToProto(tensor.shape),
      offset: BigInt(offset),
    };
    // Reserved before the first await, so concurrent calls cannot add the same name.
    this.#entries.set(key, BundleEntryProto.fromPartial(entry));
    const { data } = tensor;
    const strings = isByteList(data) ? stringContent(data) : undefined;
    const bytes = strings?.bytes ?? (isByteList(data) ? new Uint8Array(0) : bytesOfArray(data));
    this.#offset += bytes.length;
    const checksum = await this.#write(bytes, offset);
    this.#entries.set(
      key,
      BundleEntryProto.fromPartial({
        ...entry,
        size: BigInt(bytes.length),
        crc32c: maskCrc(strings?.checksum ?? checksum),
      }),
    );
  }

  /** Writes bytes at an offset. @returns their checksum. */
  async #write(bytes: Uint8Array, offset: number): Promise<number> {
    let checksum = 0;
    try {
      for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
        const chunk = bytes.subarray(at, at + CHUNK_BYTES);
        checksum = crc32c(chunk, checksum);
        for (let done = 0; done < chunk.length; ) {
          const { bytesWritten } = await this.#data.handle.write(
            chunk,
            done,
            chunk.length - done,
            offset + at + done,
          );
          done += bytesWritten;
        }
      }
    } catch (error) {
      throw fileError(error, this.#prefix);
    }
    return checksum;
  }
}
