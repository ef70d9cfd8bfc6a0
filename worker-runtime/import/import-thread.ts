/** The thread that reads untrusted files (`import-model.ts`). */
import { parentPort, type Transferable, workerData } from "node:worker_threads";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { SavedModel } from "../../protos/generated/tensorflow/saved_model.js";
import { type GraphFileFormat, type GraphFileKind, readGraphFile } from "../graph/graph-file.js";
import { isZip } from "../io/zip.js";
import type { DType } from "../protocol/dtype.js";
import { asTensorFlowError } from "../protocol/status.js";
import { bytesOfArray, isByteList } from "../protocol/tensor-data.js";
import { readKerasArchive, readKerasHdf5 } from "./keras/read-keras.js";
import { readKerasWeights } from "./keras/read-weights.js";
import { isOnnxFile } from "./onnx/onnx-file.js";
import { readOnnx } from "./onnx/read-onnx.js";

export interface ImportThreadData {
  readonly work: "model" | "weights" | "graph";
  readonly bytes: Uint8Array;
  readonly name: string;
}

export interface SentLayer {
  readonly name: string;
  readonly weights: readonly {
    readonly name: string;
    readonly dtype: DType;
    readonly shape: readonly number[];
    readonly bytes: Uint8Array<ArrayBuffer>;
  }[];
}

/** A file of TensorFlow's, with its messages serialized. */
export interface SentGraph {
  readonly kind: GraphFileKind;
  readonly format: GraphFileFormat;
  readonly graph: Uint8Array<ArrayBuffer>;
  /** The whole SavedModel, and which of its meta graphs `graph` is. */
  readonly original: { readonly savedModel: Uint8Array<ArrayBuffer>; readonly index: number } | undefined;
}

export type ImportAnswer =
  | { readonly metaGraph: Uint8Array<ArrayBuffer> }
  | SentGraph
  | { readonly layers: readonly SentLayer[] }
  | { readonly code: number; readonly message: string };

async function model({ bytes, name }: ImportThreadData): Promise<ImportAnswer> {
  const metaGraph = isOnnxFile(name)
    ? readOnnx(bytes, name)
    : await (isZip(bytes) ? readKerasArchive : readKerasHdf5)(bytes, name);
  return { metaGraph: new Uint8Array(MetaGraphDef.encode(metaGraph).finish()) };
}

function graph({ bytes, name }: ImportThreadData): ImportAnswer {
  const { kind, format, metaGraph, encoded, original } = readGraphFile(bytes, name);
  return {
    kind,
    format,
    graph: owned(encoded ?? MetaGraphDef.encode(metaGraph).finish()),
    original: original && {
      savedModel: owned(format === "binary" ? bytes : SavedModel.encode(original.savedModel).finish()),
      index: original.index,
    },
  };
}

/** In a buffer that can be moved to another thread. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  const isWhole = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isWhole ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

async function weights({ bytes, name }: ImportThreadData): Promise<ImportAnswer> {
  const layers = await readKerasWeights(bytes, name, isZip(bytes));
  return {
    layers: layers.map((layer) => ({
      name: layer.name,
      weights: layer.weights.map(({ name, value: { dtype, shape, data } }) => ({
        ...{ name, dtype, shape },
        bytes: new Uint8Array(isByteList(data) ? [] : bytesOfArray(data)),
      })),
    })),
  };
}

function transferred(answer: ImportAnswer): Transferable[] {
  if ("metaGraph" in answer) return [answer.metaGraph.buffer];
  if ("graph" in answer) {
    return [answer.graph.buffer, ...(answer.original ? [answer.original.savedModel.buffer] : [])];
  }
  if ("layers" in answer)
    return answer.layers.flatMap((layer) => layer.weights.map(({ bytes }) => bytes.buffer));
  return [];
}

async function run(data: ImportThreadData): Promise<void> {
  let answer: ImportAnswer;
  try {
    answer = await { model, weights, graph }[data.work](data);
  } catch (error) {
    const { code, message } = asTensorFlowError(error);
    answer = { code, message };
  }
  parentPort?.postMessage(answer, transferred(answer));
}

await run(workerData as ImportThreadData);
