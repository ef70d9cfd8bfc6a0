/** Opens files of models that are no graphs of TensorFlow, as SavedModels. */
import { Worker } from "node:worker_threads";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { compiledModule } from "../engines/package-root.js";
import type { ReadGraphFile } from "../graph/graph-file.js";
import { isZip } from "../io/zip.js";
import {
  cancelledBy,
  deadlineExceeded,
  internalError,
  type StatusCode,
  TensorFlowError,
} from "../protocol/status.js";
import type { ImportAnswer, ImportThreadData } from "./import-thread.js";

/** The endings of the files that are opened so. */
export const MODEL_ENDING = /\.(keras|h5|hdf5)$/i;

/** The largest models take some seconds; a hostile file may never come to an end. */
const DEADLINE_MILLIS = 5 * 60_000;
/** What JavaScript may take in the thread besides the bytes of weights. */
const MAX_HEAP_MIB = 2048;

export interface ImportOptions {
  readonly signal?: AbortSignal | undefined;
  /** The compiled thread; for tests. */
  readonly script?: string | undefined;
}

const HDF5_SIGNATURE = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a];

/** Whether a file is one that `importModel` opens, by its first bytes. */
export function isModelFile(bytes: Uint8Array): boolean {
  return isZip(bytes) || HDF5_SIGNATURE.every((byte, at) => bytes[at] === byte);
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
  { signal, script = compiledModule("import/import-thread.js") }: ImportOptions = {},
): Promise<Uint8Array> {
  const what = `Opening ${name}`;
  if (signal?.aborted) throw cancelledBy(signal.reason, what);
  const workerData: ImportThreadData = { bytes, name };
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
      const fail = (why: string) => reject(internalError(`${name} could not be opened: ${why}`));
      onAbort = () => reject(cancelledBy(signal?.reason, what));
      signal?.addEventListener("abort", onAbort);
      timer = setTimeout(() => reject(deadlineExceeded(`${what} took too long.`)), DEADLINE_MILLIS);
      thread.once("message", resolve);
      thread.once("error", (error: Error) => fail(error.message));
      thread.once("exit", () => fail("the thread that read it ended."));
    });
    if ("metaGraph" in answer) return answer.metaGraph;
    throw new TensorFlowError(answer.code as StatusCode, answer.message);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    await thread.terminate();
  }
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
