/** Data sets of files, by the readers that feeds use, too. */
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { type CsvOptions, readCsvStream } from "../io/csv.js";
import { withFileErrors } from "../io/file-errors.js";
import { decodeImage, type ImageChannels, resizeImage } from "../io/image/decode-image.js";
import { checkImageSize, listImages } from "../io/image/image-folder.js";
import { npzHeaders, readNpz } from "../io/npz.js";
import { type ReadRecordsOptions, readTfRecords } from "../io/tfrecord/records.js";
import { readWholeFile } from "../io/whole-file.js";
import { cancelledBy, notFound } from "../protocol/status.js";
import { Tensor } from "../protocol/tensor.js";
import { Dataset, type Row } from "./dataset.js";

export type RecordFileOptions = Omit<ReadRecordsOptions, "signal">;

/**
 * The records of TFRecord files, one file after the other, as tf.data.TFRecordDataset. A folder stands for its files, as
 * Spark writes them; names that begin with "_" or "." are none of them.
 * Errors while reading: as `readTfRecords`.
 */
export function tfRecordDataset(
  paths: string | readonly string[],
  options: RecordFileOptions = {},
): Dataset<Uint8Array> {
  const given = typeof paths === "string" ? [paths] : paths;
  return new Dataset(async function* ({ signal }) {
    for (const path of given) {
      for (const file of await filesOf(path)) yield* readTfRecords(file, { ...options, signal });
    }
  });
}

async function filesOf(path: string): Promise<readonly string[]> {
  const found = await withFileErrors(path, () => stat(path));
  if (!found.isDirectory()) return [path];
  const names = await withFileErrors(path, () => readdir(path));
  const files = names.filter((name) => !/^[._]/.test(name)).sort();
  if (files.length === 0) throw notFound(`The folder "${basename(path)}" has no files of records.`);
  return files.map((name) => join(path, name));
}

/** Which columns of a table become a tensor: one gives a value for each row, several give a vector. */
export type CsvTensor = Pick<CsvOptions, "column" | "columns" | "dtype">;

/**
 * The rows of a CSV file, which is read as a whole.
 * @param tensors what each row has, by name
 * @throws TensorFlowError as `readCsv`; NOT_FOUND, … of the file; CANCELLED
 */
export async function csvDataset(
  path: string,
  tensors: Readonly<Record<string, CsvTensor>>,
  options: Pick<CsvOptions, "delimiter" | "header"> & { readonly signal?: AbortSignal | undefined } = {},
): Promise<Dataset<Row>> {
  const { signal, ...dialect } = options;
  const name = basename(path);
  const read = await withFileErrors(path, async () => {
    const columns: [string, Tensor][] = [];
    for (const [tensor, wanted] of Object.entries(tensors)) {
      const pieces = createReadStream(path, { highWaterMark: 1024 * 1024, ...(signal && { signal }) });
      columns.push([tensor, await readCsvStream(pieces, { ...wanted, ...dialect, name })]);
    }
    return columns;
  }).catch((error: unknown) => {
    throw signal?.aborted ? cancelledBy(signal.reason, `Reading "${name}"`) : error;
  });
  return Dataset.fromTensorSlices(Object.fromEntries(read));
}

/**
 * The rows of arrays of a .npz file, which is read as a whole.
 * @param arrays names of arrays, by the names that the rows get; defaults to all of them by their own names
 * @throws TensorFlowError NOT_FOUND with the names that there are; INVALID_ARGUMENT if they differ in their rows; CANCELLED
 */
export async function npzDataset(
  path: string,
  arrays?: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<Dataset<Row>> {
  return Dataset.fromTensorSlices(await npzArrays(path, arrays, signal));
}

/** A data set in the form of Keras's mnist.npz: examples to train on and others to evaluate with. */
export interface SplitDataset {
  /** Rows of x, the example, and y, its label. */
  readonly train: Dataset<Row>;
  readonly test: Dataset<Row>;
}

/** Reads a .npz file of x_train, y_train, x_test and y_test. @throws TensorFlowError as `npzDataset` */
export async function mnistDataset(path: string, signal?: AbortSignal): Promise<SplitDataset> {
  const names = ["x_train", "y_train", "x_test", "y_test"];
  const read = await npzArrays(path, Object.fromEntries(names.map((name) => [name, name])), signal);
  const part = (which: string) =>
    Dataset.fromTensorSlices(
      Object.fromEntries(
        Object.entries(read).flatMap(([name, tensor]) =>
          name.endsWith(which) ? [[name.slice(0, 1), tensor] as const] : [],
        ),
      ),
    );
  return { train: part("_train"), test: part("_test") };
}

async function npzArrays(
  path: string,
  arrays: Readonly<Record<string, string>> | undefined,
  signal: AbortSignal | undefined,
): Promise<Record<string, Tensor>> {
  const name = basename(path);
  const bytes = await withFileErrors(path, () => readWholeFile(path, { signal }));
  const wanted = arrays ?? Object.fromEntries([...npzHeaders(bytes, name).keys()].map((one) => [one, one]));
  return Object.fromEntries(
    Object.entries(wanted).map(([row, array]) => [row, readNpz(bytes, array, name)] as const),
  );
}

export interface ImageFolderOptions {
  /** The size that all images get, by linear interpolation. */
  readonly size: readonly [height: number, width: number];
  /** Defaults to 3. */
  readonly channels?: ImageChannels | undefined;
}

export interface ImageFolderDataset {
  /** Rows of `image`, float32 [height, width, channels] from 0 to 255, and `label`, an int32. Class by class. */
  readonly dataset: Dataset<Row>;
  /** The names of the folders; a label is an index into them. */
  readonly classNames: readonly string[];
  /** How many there are. */
  readonly count: number;
}

/**
 * A folder of images, PNG, JPEG, GIF and BMP, with a folder for each class, as Keras's image_dataset_from_directory without
 * shuffling. Shuffle with a buffer of `count`: the classes come one after the other. The images are decoded as they are
 * read, and only those that a shard takes.
 * @throws TensorFlowError NOT_FOUND without images; while reading, INVALID_ARGUMENT with the name of a damaged file
 */
export async function imageFolderDataset(
  folder: string,
  { size, channels = 3, shard }: ImageFolderOptions & { readonly shard?: Shard | undefined },
): Promise<ImageFolderDataset> {
  checkImageSize(size);
  const { images, classNames } = await listImages(folder);
  const all = Dataset.fromArray(images);
  const own = shard ? all.shard(shard.count, shard.index) : all;
  const dataset = own.map(
    async ({ path, label }) => {
      const bytes = await withFileErrors(path, () => readWholeFile(path));
      return {
        image: resizeImage(decodeImage(bytes, channels, basename(path)), ...size),
        label: Tensor.of(label, "int32"),
      };
    },
    { parallelCalls: FILES_AT_ONCE },
  );
  const count = shard ? Math.max(0, Math.ceil((images.length - shard.index) / shard.count)) : images.length;
  return { dataset, classNames, count };
}

/** The part that one of several tasks takes. */
export interface Shard {
  readonly count: number;
  readonly index: number;
}

/** So that one is read while another is decoded. */
const FILES_AT_ONCE = 4;
