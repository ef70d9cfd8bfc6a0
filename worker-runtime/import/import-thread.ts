/** The thread of importModel. */
import { parentPort, workerData } from "node:worker_threads";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { isZip } from "../io/zip.js";
import { asTensorFlowError } from "../protocol/status.js";
import { readKerasArchive, readKerasHdf5 } from "./keras/read-keras.js";

export interface ImportThreadData {
  readonly bytes: Uint8Array;
  readonly name: string;
}

export type ImportAnswer =
  | { readonly metaGraph: Uint8Array<ArrayBuffer> }
  | { readonly code: number; readonly message: string };

async function answer({ bytes, name }: ImportThreadData): Promise<void> {
  try {
    const metaGraph = isZip(bytes) ? await readKerasArchive(bytes, name) : await readKerasHdf5(bytes, name);
    const encoded = new Uint8Array(MetaGraphDef.encode(metaGraph).finish());
    parentPort?.postMessage({ metaGraph: encoded } satisfies ImportAnswer, [encoded.buffer]);
  } catch (error) {
    const { code, message } = asTensorFlowError(error);
    parentPort?.postMessage({ code, message } satisfies ImportAnswer);
  }
}

await answer(workerData as ImportThreadData);
