/** Keras models that keras_models.py has exported, with what TensorFlow computes for them. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { GraphDef } from "../../../../protos/generated/tensorflow/graph.js";
import { TensorProto } from "../../../../protos/generated/tensorflow/tensor.js";
import { Graph } from "../../../../worker-runtime/graph/graph.js";
import { type Tensor, tensorFromProto } from "../../../../worker-runtime/protocol/tensor.js";
import {
  environmentWithoutProxies,
  repositoryRoot,
  spawnPeer,
  tensorflowPython,
} from "../../../support/peers.js";

const script = path.join(repositoryRoot, "test", "interop", "portable", "models", "keras_models.py");

/** The files of one model. */
export interface ExportedModel {
  readonly inference: {
    readonly graph: string;
    readonly feeds: Readonly<Record<string, string>>;
    readonly fetches: readonly string[];
    readonly expected: readonly string[];
  };
  readonly training: {
    readonly graph: string;
    readonly initialize: string;
    readonly train: string;
    readonly feeds: Readonly<Record<string, string>>;
    readonly loss: string;
    readonly expectedLoss: string;
    readonly variables: readonly { readonly name: string; readonly before: string; readonly after: string }[];
  };
}

/** Exports models into a folder. */
export async function exportModels(
  folder: string,
  names: readonly string[],
): Promise<Readonly<Record<string, ExportedModel>>> {
  const python = await spawnPeer(tensorflowPython(), [script, folder, ...names], {
    env: environmentWithoutProxies(),
  });
  const { code } = await python.exited;
  if (code !== 0) {
    throw new Error(`keras_models.py ended with code ${code}:\n${python.output().slice(-4000)}`);
  }
  return JSON.parse(python.stdout().trim().split("\n").at(-1) ?? "") as Record<string, ExportedModel>;
}

export function readGraph(file: string): Graph {
  return Graph.fromGraphDef(GraphDef.decode(readFileSync(file)));
}

export function readTensor(file: string): Tensor {
  return tensorFromProto(TensorProto.decode(readFileSync(file)));
}
