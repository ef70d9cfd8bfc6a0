/** The thread of importModel and importWeights. */
import { parentPort, type Transferable, workerData } from "node:worker_threads";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { isZip } from "../io/zip.js";
import type { DType } from "../protocol/dtype.js";
import { asTensorFlowError } from "../protocol/status.js";
import { bytesOfArray, isByteList } from "../protocol/tensor-data.js";
import { readKerasArchive, readKerasHdf5 } from "./keras/read-keras.js";
import { readKerasWeights } from "./keras/read-weights.js";
import { isOnnxFile } from "./onnx/onnx-file.js";
import { readOnnx } from "./onnx/read-onnx.js";

export interface ImportThreadData {
  readonly work: "model" | "weights";
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

export type ImportAnswer =
  | { readonly metaGraph: Uint8Array<ArrayBuffer> }
  | { readonly layers: readonly SentLayer[] }
  | { readonly code: number; readonly message: string };

async function model({ bytes, name }: ImportThreadData): Promise<ImportAnswer> {
  const metaGraph = isOnnxFile(name)
    ? readOnnx(bytes, name)
    : await (isZip(bytes) ? readKerasArchive : readKerasHdf5)(bytes, name);
  return { metaGraph: new Uint8Array(MetaGraphDef.encode(metaGraph).finish()) };
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
  if ("layers" in answer)
    return answer.layers.flatMap((layer) => layer.weights.map(({ bytes }) => bytes.buffer));
  return [];
}

async function run(data: ImportThreadData): Promise<void> {
  let answer: ImportAnswer;
  try {
    answer = await (data.work === "model" ? model : weights)(data);
  } catch (error) {
    const { code, message } = asTensorFlowError(error);
    answer = { code, message };
  }
  parentPort?.postMessage(answer, transferred(answer));
}

await run(workerData as ImportThreadData);
