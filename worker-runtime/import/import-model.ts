/** Opens files in a thread of their own: models that are no graphs of TensorFlow, as SavedModels, and large text files. */
import { Worker } from "node:worker_threads";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { SavedModel } from "../../protos/generated/tensorflow/saved_model.js";
import { compiledModule } from "../engines/package-root.js";
import { type ReadGraphFile, readGraphFile } from "../graph/graph-file.js";
import { detectGraphFile } from "../graph/graph-file-detection.js";
import { isZip } from "../io/zip.js";
import {
  cancelledBy,
  deadlineExceeded,
  internalError,
  statusCodeOf,
  TensorFlowError,
} from "../protocol/status.js";
import { Tensor } from "../protocol/tensor.js";
import { arrayFromBytes } from "../protocol/tensor-data.js";
import type { ImportAnswer, ImportThreadData } from "./import-thread.js";
import type { SavedLayer } from "./keras/read-weights.js";
import { isOnnxFile } from "./onnx/onnx-file.js";

/** The endings of files with weights that Keras saved. */
export const WEIGHTS_ENDING = /\.(keras|h5|hdf5)$/i;
/** The endings of models that are opened so. */
export const MODEL_ENDING = /\.(keras|h5|hdf5|onnx)$/i;

/** A hostile file may never come to an end. The largest models take some seconds on a fast machine. */
const DEADLINE_MILLIS = 30_000;
const DEADLINE_MILLIS_PER_MIB = 250;
/** The memory that JavaScript may take in the thread besides the bytes of weights. */
const MAX_HEAP_MIB = 2048;

export interface ImportOptions {
  readonly signal?: AbortSignal | undefined;
  /** The compiled thread; for tests. */
  readonly script?: string | undefined;
}

const HDF5_SIGNATURE = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a];

/** Whether a file is one that `importModel` opens: by its first bytes, or, since ONNX has none of its own, its name. */
export function isModelFile(bytes: Uint8Array, name: string): boolean {
  return isZip(bytes) || isOnnxFile(name) || HDF5_SIGNATURE.every((byte, at) => bytes[at] === byte);
}

/**
 * Makes a graph of a model, with the weights in it. It is made in a thread of its own: files are untrusted, the HDF5
 * library never gives memory back, and reading takes a while.
 *
 * @returns the serialized MetaGraphDef of a SavedModel without further files
 * @throws TensorFlowError INVALID_ARGUMENT if the file is damaged; UNIMPLEMENTED that names what Tensordeck does not
 *   know; CANCELLED, DEADLINE_EXCEEDED
 */
export async function importModel(
  bytes: Uint8Array,
  name: string,
  options: ImportOptions = {},
): Promise<Uint8Array> {
  const answer = await inThread({ work: "model", bytes, name }, options);
  if ("metaGraph" in answer) return answer.metaGraph;
  throw internalError(`${name} was not opened as a model.`);
}

/** As `importModel`, as a file that was read. Nothing of the model is left out of its graph. */
export async function readModelFile(
  bytes: Uint8Array,
  name: string,
  options: ImportOptions = {},
): Promise<ReadGraphFile> {
  const encoded = await importModel(bytes, name, options);
  return { kind: "saved_model", format: "binary", metaGraph: MetaGraphDef.decode(encoded), encoded };
}

/** Reading a smaller text file takes less than a hundred milliseconds. */
const MIN_TEXT_BYTES = 2 ** 20;

/**
 * As `readGraphFile`, without keeping this thread from other work: a text file of 40 MB takes several seconds.
 * @throws TensorFlowError as `readGraphFile`; CANCELLED, DEADLINE_EXCEEDED
 */
export async function readGraphFileApart(
  bytes: Uint8Array,
  name: string,
  options: ImportOptions = {},
): Promise<ReadGraphFile> {
  if (bytes.length < MIN_TEXT_BYTES || detectGraphFile(bytes, name).format === "binary") {
    return readGraphFile(bytes, name);
  }
  const answer = await inThread({ work: "graph", bytes, name }, options);
  if (!("graph" in answer)) throw internalError(`${name} was not read as a graph.`);
  const { kind, format, graph, original } = answer;
  return {
    kind,
    format,
    metaGraph: MetaGraphDef.decode(graph),
    encoded: graph,
    original: original && { savedModel: SavedModel.decode(original.savedModel), index: original.index },
  };
}

/**
 * The weights that Keras saved, alone or with their model, by layer.
 *
 * @throws TensorFlowError as importModel
 */
export async function importWeights(
  bytes: Uint8Array,
  name: string,
  options: ImportOptions = {},
): Promise<readonly SavedLayer[]> {
  const answer = await inThread({ work: "weights", bytes, name }, options);
  if (!("layers" in answer)) throw internalError(`${name} was not read as weights.`);
  return answer.layers.map((layer) => ({
    name: layer.name,
    weights: layer.weights.map(({ name, dtype, shape, bytes }) => ({
      name,
      value: new Tensor(dtype, shape, arrayFromBytes(dtype, bytes)),
    })),
  }));
}

async function inThread(
  workerData: ImportThreadData,
  { signal, script = compiledModule("import/import-thread.js") }: ImportOptions,
): Promise<Exclude<ImportAnswer, { code: number }>> {
  const what = `Opening ${workerData.name}`;
  if (signal?.aborted) throw cancelledBy(signal.reason, what);
  // Options of this process, such as a loader of TypeScript, are not for compiled files.
  const thread = new Worker(script, {
    execArgv: [],
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MIB },
  });
  let timer: NodeJS.Timeout | undefined;
  let onAbort = (): void => undefined;
  try {
    const answer = await new Promise<ImportAnswer>((resolve, reject) => {
      const fail = (why: string) => reject(internalError(`${workerData.name} could not be opened: ${why}`));
      onAbort = () => reject(cancelledBy(signal?.reason, what));
      signal?.addEventListener("abort", onAbort);
      const millis = DEADLINE_MILLIS + (workerData.bytes.length / 2 ** 20) * DEADLINE_MILLIS_PER_MIB;
      const late = `${what} was ended after ${Math.round(millis / 1000)} s, which whole models of its size do not take. Save it again.`;
      timer = setTimeout(() => reject(deadlineExceeded(late)), millis);
      thread.once("message", resolve);
      thread.once("error", (error: Error) => fail(error.message));
      thread.once("exit", () => fail("the thread that read it ended."));
    });
    if ("code" in answer) throw new TensorFlowError(statusCodeOf(answer.code), answer.message);
    return answer;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    await thread.terminate();
  }
}
