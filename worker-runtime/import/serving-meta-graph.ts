import { type MetaGraphDef, SignatureDef, TensorInfo } from "../../protos/generated/tensorflow/meta_graph.js";
import type { Graph } from "../graph/graph.js";
import type { Output } from "../graph/operation.js";
import { DOCUMENT_COLLECTION } from "../graph/private-attrs.js";
import { partialShapeToProto } from "../graph/shape.js";
import { dataTypeOf } from "../protocol/dtype.js";

export interface ModelSignature {
  /** By the names that the model gives them. */
  readonly inputs: ReadonlyMap<string, Output>;
  readonly outputs: ReadonlyMap<string, Output>;
}

/** A SavedModel's graph with the signature of a model, whose outputs are what a run fetches. */
export function servingMetaGraph(graph: Graph, { inputs, outputs }: ModelSignature): MetaGraphDef {
  const run = { fetches: [...new Set([...outputs.values()].map(({ name }) => name))] };
  graph.addToCollection(DOCUMENT_COLLECTION, JSON.stringify({ run }));
  const metaGraph = graph.toMetaGraphDef();
  const signature = SignatureDef.fromPartial({ methodName: "tensorflow/serving/predict" });
  return {
    ...metaGraph,
    ...(metaGraph.metaInfoDef && { metaInfoDef: { ...metaGraph.metaInfoDef, tags: ["serve"] } }),
    signatureDef: new Map([
      ["serving_default", { ...signature, inputs: infosOf(inputs), outputs: infosOf(outputs) }],
    ]),
  };
}

function infosOf(tensors: ReadonlyMap<string, Output>): Map<string, TensorInfo> {
  return new Map(
    [...tensors].map(([name, tensor]) => [
      name,
      TensorInfo.fromPartial({
        encoding: { $case: "name", value: tensor.name },
        dtype: dataTypeOf(tensor.dtype),
        tensorShape: partialShapeToProto(tensor.shape),
      }),
    ]),
  );
}
