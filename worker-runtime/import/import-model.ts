/** Opens files in a thread of their own: models that are no graphs of TensorFlow, as SavedModels, and large graphs. */
import { getHeapStatistics } from "node:v8";
import { type Transferable, Worker } from "node:worker_threads";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { SavedModel } from "../../protos/generated/tensorflow/saved_model.js";
import { compiledModule } from "../engines/package-root.js";
import { type ReadGraphFile, readGraphFile, type SavedModelSource } from "../graph/graph-file.js";
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
import type { ImportAnswer, ImportThreadData, SentGraph } from "./import-thread.js";
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
  /** The caller does not use the bytes any more, so that they need not be copied for the thread. */
  readonly giveAway?: boolean | undefined;
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
): Promise<Uint8Array<ArrayBuffer>> {
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
  return decodedLater({ kind: "saved_model", format: "binary", graph: encoded, original: undefined });
}

/** A file whose messages this thread decodes only if it is asked for them: those of 100 MB take seconds. */
function decodedLater({ kind, format, graph, original }: SentGraph): ReadGraphFile {
  let metaGraph: MetaGraphDef | undefined;
  return {
    ...{ kind, format, encoded: graph },
    original: original && sourceDecodedLater(original),
    get metaGraph() {
      metaGraph ??= MetaGraphDef.decode(graph);
      return metaGraph;
    },
  };
}

function sourceDecodedLater({
  savedModel: bytes,
  index,
}: NonNullable<SentGraph["original"]>): SavedModelSource {
  let savedModel: SavedModel | undefined;
  return {
    index,
    get savedModel() {
      savedModel ??= SavedModel.decode(bytes);
      return savedModel;
    },
  };
}

/** Reading a smaller file takes less than the start of a thread: some ten milliseconds of a binary one. */
const MIN_BYTES_APART = 2 ** 20;

/**
 * As `readGraphFile`, without keeping this thread from other work: a text file of 40 MB takes several seconds, as does a
 * binary one of 100 MB with a million nodes.
 * @throws TensorFlowError as `readGraphFile`; CANCELLED, DEADLINE_EXCEEDED
 */
export async function readGraphFileApart(
  bytes: Uint8Array,
  name: string,
  options: ImportOptions = {},
): Promise<ReadGraphFile> {
  if (bytes.length < MIN_BYTES_APART) return readGraphFile(bytes, name);
  const answer = await inThread({ work: "graph", bytes, name }, options);
  if (!("graph" in answer)) throw internalError(`${name} was not read as a graph.`);
  return decodedLater(answer);
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

/** A large graph of small nodes needs as much as it would here. */
function maxHeapMib(work: ImportThreadData["work"]): number {
  const own = Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20);
  return work === "graph" ? Math.max(MAX_HEAP_MIB, own) : MAX_HEAP_MIB;
}

/** The buffer of bytes, to be moved to another thread, if nothing else is in it. */
function wholeBufferOf({ buffer, byteLength }: Uint8Array): Transferable[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [];
}

async function inThread(
  workerData: ImportThreadData,
  { signal, giveAway = false, script = compiledModule("import/import-thread.js") }: ImportOptions,
): Promise<Exclude<ImportAnswer, { code: number }>> {
  const { name, bytes } = workerData;
  const what = `Opening ${name}`;
  // Afterwards, there may be none here any more.
  const mebibytes = bytes.length / 2 ** 20;
  if (signal?.aborted) throw cancelledBy(signal.reason, what);
  // Options of this process, such as a loader of TypeScript, are not for compiled files.
  const thread = new Worker(script, {
    execArgv: [],
    workerData,
    transferList: giveAway ? wholeBufferOf(bytes) : [],
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMib(workerData.work) },
  });
  let timer: NodeJS.Timeout | undefined;
  let onAbort = (): void => undefined;
  try {
    const answer = await new Promise<ImportAnswer>((resolve, reject) => {
      const fail = (why: string) => reject(internalError(`${name} could not be opened: ${why}`));
      onAbort = () => reject(cancelledBy(signal?.reason, what));
      signal?.addEventListener("abort", onAbort);
      const millis = DEADLINE_MILLIS + mebibytes * DEADLINE_MILLIS_PER_MIB;
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
