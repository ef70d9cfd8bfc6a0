/**
 * Checkpoints of version 1, as `tf.train.Saver(write_version=SaverDef.V1)` and TensorFlow before 1.0 write them: one table, or one
 * for each task, with messages SavedTensorSlices. The empty key has the names, shapes and slices of all tensors in the file; the
 * others are those of slices, with their elements (tensorflow/core/util/tensor_slice_writer.h).
 */
import { open, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  type SavedSliceMeta,
  SavedTensorSlices,
} from "../../../protos/generated/tensorflow/saved_tensor_slice.js";
import type { TensorProto } from "../../../protos/generated/tensorflow/tensor.js";
import { dataTypeOf, dtypeOf } from "../../protocol/dtype.js";
import { elementsOfShape, shapeFromProto, shapeText, shapeToProto } from "../../protocol/shape.js";
import { dataLoss, notFound } from "../../protocol/status.js";
import { type Tensor, tensorFromProto } from "../../protocol/tensor.js";
import { fileError } from "../file-errors.js";
import { readWholeFile } from "../whole-file.js";
import { assembleSlices } from "./assemble-slices.js";
import type { BundleFiles } from "./bundle-files.js";
import type { CheckpointReader, SavedTensorInfo } from "./saved-tensors.js";
import { TABLE_MAGIC } from "./table-format.js";
import { readTable } from "./table-reader.js";
import { fullSlice, sliceFromProto, sliceKey, sliceShape, type TensorSlice } from "./tensor-slice.js";

/** Key of the message about all tensors of a file (kSavedTensorSlicesKey). */
const META_KEY = "";
/** The end of the file of one task: "model.ckpt-00000-of-00002". */
const SHARD = /^-\d{5}-of-\d{5}$/;
/** The same for the files of all tasks, as a Saver names a checkpoint that it has written in several. */
const ALL_SHARDS = /-\?{5}-of-(?:\?{5}|\d{5})$/;

type Table = ReadonlyMap<string, Uint8Array>;

interface SavedTensor extends SavedTensorInfo {
  /** The slices of all files, and the file that has each. */
  readonly parts: { readonly slice: TensorSlice; readonly table: Table }[];
}

export class Version1Reader implements CheckpointReader {
  readonly #prefix: string;
  readonly #tensors: ReadonlyMap<string, SavedTensor>;

  private constructor(prefix: string, tensors: ReadonlyMap<string, SavedTensor>) {
    this.#prefix = prefix;
    this.#tensors = tensors;
  }

  /**
   * Opens a checkpoint.
   *
   * @param prefix the path of its file, or the common beginning of those of several tasks, with or without "-?????-of-00002".
   * @returns undefined if there is no such checkpoint.
   * @throws TensorFlowError DATA_LOSS if it is damaged; RESOURCE_EXHAUSTED if there is no memory for its files.
   */
  static async open(prefix: string, files: BundleFiles): Promise<Version1Reader | undefined> {
    const paths = await filesOf(await files.resolve(prefix, "read"));
    if (paths.length === 0) return undefined;
    const tensors = new Map<string, SavedTensor>();
    for (const path of paths) {
      const bytes = await readWholeFile(await files.resolve(path, "read")).catch((error: unknown) => {
        throw fileError(error, path);
      });
      addTensors(tensors, readTable(bytes, `The checkpoint ${path}`), path);
    }
    return new Version1Reader(prefix, tensors);
  }

  names(): readonly string[] {
    return [...this.#tensors.keys()].sort();
  }

  info(name: string): SavedTensorInfo {
    return this.#tensor(name);
  }

  async read(name: string, slice?: TensorSlice): Promise<Tensor> {
    const { dtype, shape, parts } = this.#tensor(name);
    return assembleSlices({
      name,
      info: { dtype, shape },
      wanted: slice ?? fullSlice(shape.length),
      parts: parts.map((part) => ({
        slice: part.slice,
        read: () => Promise.resolve(this.#elements(name, part.slice, part.table)),
      })),
    });
  }

  /** Its files were read when it was opened. */
  async close(): Promise<void> {}

  #tensor(name: string): SavedTensor {
    const tensor = this.#tensors.get(name);
    if (tensor === undefined) throw notFound(`Key ${name} not found in checkpoint`);
    return tensor;
  }

  #elements(name: string, slice: TensorSlice, table: Table): Tensor {
    const { dtype, shape } = this.#tensor(name);
    const bytes = table.get(Buffer.from(sliceKey(Buffer.from(name), slice)).toString("latin1"));
    const data = bytes && messageOf(bytes, this.#prefix).data?.data;
    if (data === undefined) throw dataLoss(`The checkpoint ${this.#prefix} lacks the elements of ${name}.`);
    const sizes = sliceShape(shape, slice);
    const count = elementsOfShape(sizes);
    // In a TensorProto, the last one would stand for those that are missing.
    if (elementsIn(data) !== count) {
      throw dataLoss(
        `The checkpoint ${this.#prefix} has ${elementsIn(data)} elements of ${name}, whose slice has ${count}.`,
      );
    }
    // The message has the elements alone.
    return tensorFromProto({ ...data, dtype: dataTypeOf(dtype), tensorShape: shapeToProto(sizes) });
  }
}

/** The only file, or those of all tasks; empty if there are none that end as tables do. */
async function filesOf(prefix: string): Promise<string[]> {
  if (await isTable(prefix)) return [prefix];
  const folder = dirname(prefix);
  const name = basename(prefix).replace(ALL_SHARDS, "");
  const names = await readdir(folder).catch(() => []);
  const shards = names.filter((one) => one.startsWith(name) && SHARD.test(one.slice(name.length))).sort();
  const paths = shards.map((one) => join(folder, one));
  const areTables = await Promise.all(paths.map(isTable));
  return areTables.every((is) => is) ? paths : [];
}

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

/** TensorFlow writes them into the list of their dtype, one by one. */
function elementsIn(data: TensorProto): number {
  const { floatVal, doubleVal, intVal, int64Val, uint32Val, uint64Val, halfVal, boolVal, stringVal } = data;
  const lists = [floatVal, doubleVal, intVal, int64Val, uint32Val, uint64Val, halfVal, boolVal, stringVal];
  const pairs = [data.scomplexVal, data.dcomplexVal];
  return Math.max(...lists.map(({ length }) => length), ...pairs.map(({ length }) => length / 2));
}

function messageOf(bytes: Uint8Array, path: string): SavedTensorSlices {
  try {
    return SavedTensorSlices.decode(bytes);
  } catch (error) {
    throw dataLoss(`The checkpoint ${path} is damaged: a message in it cannot be read.`, { cause: error });
  }
}

function addTensors(tensors: Map<string, SavedTensor>, table: Table, path: string): void {
  const bytes = table.get(META_KEY);
  const meta = bytes && messageOf(bytes, path).meta;
  if (meta === undefined) throw dataLoss(`The checkpoint ${path} does not say which tensors it has.`);
  for (const one of meta.tensor) {
    const info = infoOf(one, path);
    const known = tensors.get(one.name) ?? { ...info, parts: [] };
    if (known.dtype !== info.dtype || shapeText(known.shape) !== shapeText(info.shape)) {
      throw dataLoss(
        `The files of the checkpoint ${path} differ about the dtype or the shape of ${one.name}.`,
      );
    }
    known.parts.push(...one.slice.map((slice) => ({ slice: sliceFromProto(slice), table })));
    tensors.set(one.name, known);
  }
}

function infoOf({ name, type, shape: proto }: SavedSliceMeta, path: string): SavedTensorInfo {
  try {
    const shape = shapeFromProto(proto);
    elementsOfShape(shape);
    return { dtype: dtypeOf(type), shape };
  } catch (error) {
    throw dataLoss(`The checkpoint ${path} has an invalid shape or dtype of ${name}.`, { cause: error });
  }
}
