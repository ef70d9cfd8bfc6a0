import type { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { Graph } from "../graph/graph.js";
import { DOCUMENT_COLLECTION } from "../graph/private-attrs.js";
import { type ModelSignature, SERVING_SIGNATURE, servingSignature } from "../graph/serving-signature.js";

/** A SavedModel's graph with the signature of a model, whose outputs are what a run fetches. */
export function servingMetaGraph(graph: Graph, signature: ModelSignature): MetaGraphDef {
  const run = { fetches: [...new Set([...signature.outputs.values()].map(({ name }) => name))] };
  graph.addToCollection(DOCUMENT_COLLECTION, JSON.stringify({ run }));
  const metaGraph = graph.toMetaGraphDef();
  return {
    ...metaGraph,
    ...(metaGraph.metaInfoDef && { metaInfoDef: { ...metaGraph.metaInfoDef, tags: ["serve"] } }),
    signatureDef: new Map([[SERVING_SIGNATURE, servingSignature(signature)]]),
  };
}
