/**
 * Converts between the document and the MetaGraphDef it is stored as. The entire content of a file is
 * preserved.
 */
import type { DocumentFile } from "../../main/api/documents.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { DOCUMENT_COLLECTION, stripPrivateAttrs } from "../../worker-runtime/graph/private-attrs.js";
import { atOnce, paused, type Sliced } from "../../worker-runtime/graph/slices.js";
import { texts } from "../texts/texts.js";
import { readAnnotations, writeAnnotations } from "./annotations.js";
import { suitsScopes } from "./arrangement.js";
import { readClusterConfig, writeClusterConfig } from "./cluster-config.js";
import { decodeMetaGraph } from "./decode-graph.js";
import { slicedLayeredLayout } from "./layout.js";
import type { GraphDocument, Point } from "./model.js";
import { positionOf, withoutPosition, withPosition } from "./node-places.js";
import { withOrderedMaps } from "./ordered-maps.js";
import { readRunConfigs, writeRunConfigs } from "./run-config-file.js";

const words = texts.document.documentFile;

/**
 * Decodes a document. In a small graph, nodes without a stored position get one from the layered layout, which does not
 * count as an edit and is stored only when the document is saved; a larger graph is arranged in scopes (arrangement.ts).
 *
 * @throws Error if two nodes share a name, since edges to them would be ambiguous.
 */
export function readDocument(file: DocumentFile): GraphDocument {
  return atOnce(slicedDocument(file));
}

/** As `readDocument`, in slices. */
export function* slicedDocument(file: DocumentFile): Sliced<GraphDocument> {
  const decoded = yield* decodeMetaGraph(file.metaGraph);
  const { metaGraph } = decoded;
  const nodes = new Map<string, NodeDef>();
  const layout = new Map<string, Point>();
  yield* paused(decoded.nodes, (node) => {
    if (nodes.has(node.name)) {
      throw new Error(words.sameName({ file: file.name, node: node.name }));
    }
    const position = positionOf(node);
    if (position) layout.set(node.name, position);
    nodes.set(node.name, position ? withoutPosition(node) : node);
  });
  const isPlaced = layout.size === nodes.size || (yield* suitsScopes(nodes));
  return {
    id: file.id ?? crypto.randomUUID(),
    name: file.name,
    ...(file.path === undefined ? {} : { path: file.path }),
    kind: file.kind,
    format: file.format,
    metaGraph,
    nodes,
    layout: isPlaced ? layout : yield* slicedLayeredLayout(nodes, layout),
    ...readRunConfigs(metaGraph.collectionDef.get(DOCUMENT_COLLECTION)),
    cluster: readClusterConfig(metaGraph.collectionDef.get(DOCUMENT_COLLECTION)),
    annotations: readAnnotations(metaGraph.collectionDef.get(DOCUMENT_COLLECTION)),
  };
}

/** The serialized MetaGraphDef with layout, run configurations and cluster in it. */
export function writeDocument(document: GraphDocument): Uint8Array {
  const node: NodeDef[] = [];
  for (const def of document.nodes.values()) {
    const position = document.layout.get(def.name);
    node.push(position ? withPosition(def, position) : def);
  }
  const metaGraph = writeWithoutNodes(document);
  const graphDef = { ...(metaGraph.graphDef ?? GraphDef.fromPartial({})), node };
  return MetaGraphDef.encode({ ...metaGraph, graphDef }).finish();
}

/** Everything that is written of a document besides its nodes and their positions. */
export function writeWithoutNodes(document: GraphDocument): MetaGraphDef {
  const collectionDef = new Map(document.metaGraph.collectionDef);
  const collection = writeAnnotations(
    writeClusterConfig(writeRunConfigs(collectionDef.get(DOCUMENT_COLLECTION), document), document.cluster),
    document.annotations,
  );
  if (collection) collectionDef.set(DOCUMENT_COLLECTION, collection);
  return { ...document.metaGraph, collectionDef };
}

/**
 * The GraphDef that a session gets: without attributes of ours, in nodes and in function bodies, and with one encoding,
 * by whose digest the runs of this state of the document are known.
 */
export function graphToRun(document: GraphDocument): GraphDef {
  const graphDef = document.metaGraph.graphDef ?? GraphDef.fromPartial({});
  return withOrderedMaps(stripPrivateAttrs({ ...graphDef, node: [...document.nodes.values()] }));
}

/** Collections that define what a SavedModel runs when it is loaded. */
const START_COLLECTIONS = ["saved_model_main_op", "legacy_init_op", "saved_model_assets"];

/** How a document's variables and tables get their saved values. */
export function restoreNotes({ metaGraph }: GraphDocument): MetaGraphDef {
  const { saverDef, signatureDef, assetFileDef, collectionDef } = metaGraph;
  return {
    ...MetaGraphDef.fromPartial({}),
    saverDef,
    signatureDef,
    assetFileDef,
    collectionDef: new Map([...collectionDef].filter(([key]) => START_COLLECTIONS.includes(key))),
  };
}
