/** True if a step that was kept with a draft fits the state of the document that it is made in. */
import { encode } from "@msgpack/msgpack";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { DOCUMENT_COLLECTION } from "../../../worker-runtime/graph/private-attrs.js";
import type { GraphDocument } from "../model.js";
import type { NodeChange, Operation } from "../operations.js";

/** True if the document is as the operation says that it was before. Places fit any document that has their nodes. */
export function fits(document: GraphDocument, operation: Operation): boolean {
  switch (operation.type) {
    case "nodes":
      return nodesFit(document.nodes, operation.changes);
    case "layout":
      return true;
    case "run-config":
      return (
        same(document.runConfig, operation.before) &&
        !document.otherRuns.some(({ name }) => name === operation.after.name)
      );
    case "run-configs": {
      const { runConfig, otherRuns, defaultRun } = document;
      return same({ runConfig, otherRuns, defaultRun }, operation.before) && runsAreWhole(operation.after);
    }
    case "cluster":
      return same(document.cluster, operation.before);
    case "annotations":
      return same(document.annotations, operation.before);
    case "meta-graph":
      return areEqual(encodedGraph(document.metaGraph), encodedGraph(operation.before));
  }
}

function nodesFit(nodes: ReadonlyMap<string, NodeDef>, changes: readonly NodeChange[]): boolean {
  const replaced = new Set<string>();
  const left = new Set<string>();
  const come = new Set<string>();
  for (const { before, after } of changes) {
    if (before === undefined && after === undefined) return false;
    if (before === undefined) continue;
    const present = nodes.get(before.name);
    if (present === undefined || !areEqual(encoded(present), encoded(before))) return false;
    // A node that was chosen twice is replaced twice.
    const group = before.name === after?.name ? replaced : left;
    if (left.has(before.name) || (group === left && replaced.has(before.name))) return false;
    group.add(before.name);
  }
  for (const { before, after } of changes) {
    if (after === undefined || before?.name === after.name) continue;
    if (come.has(after.name) || (nodes.has(after.name) && !left.has(after.name))) return false;
    come.add(after.name);
  }
  return true;
}

function runsAreWhole({
  runConfig,
  otherRuns,
  defaultRun,
}: Pick<GraphDocument, "runConfig" | "otherRuns" | "defaultRun">): boolean {
  const names = new Set([runConfig, ...otherRuns].map(({ name }) => name));
  return names.size === otherRuns.length + 1 && names.has(defaultRun);
}

/** Without the section of the file that holds what a document has beside its meta graph. */
function encodedGraph(metaGraph: MetaGraphDef): Uint8Array {
  const collectionDef = new Map(metaGraph.collectionDef);
  collectionDef.delete(DOCUMENT_COLLECTION);
  const graphDef = metaGraph.graphDef ?? GraphDef.fromPartial({});
  return MetaGraphDef.encode({ ...metaGraph, collectionDef, graphDef }).finish();
}

const encoded = (node: NodeDef): Uint8Array => NodeDef.encode(node).finish();

function same(one: unknown, other: unknown): boolean {
  const options = { sortKeys: true, ignoreUndefined: true };
  return areEqual(encode(one, options), encode(other, options));
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
