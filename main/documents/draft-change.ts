/** Reassembles a draft: the document as it was first written, and every change since. */
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { DraftChange, KeptHistory } from "../api/drafts.js";

/** The document after all changes, as a serialized MetaGraphDef. The first change is the whole document. */
export function draftMetaGraph(changes: readonly DraftChange[]): Uint8Array {
  let nodes: ReadonlyMap<string, NodeDef> = new Map();
  let rest = MetaGraphDef.fromPartial({});
  for (const change of changes) {
    nodes = applyChange(nodes, change);
    if (change.rest) rest = MetaGraphDef.decode(change.rest);
  }
  const graphDef = { ...(rest.graphDef ?? GraphDef.fromPartial({})), node: [...nodes.values()] };
  return MetaGraphDef.encode({ ...rest, graphDef }).finish();
}

/** The undo history of the document after all changes; undefined if there is none, or a part of it is missing. */
export function draftHistory(changes: readonly DraftChange[]): KeptHistory | undefined {
  const last = changes.at(-1)?.history;
  if (last === undefined) return undefined;
  const known = new Map(
    changes.flatMap(({ history }) => history?.added ?? []).map(({ id, bytes }) => [id, bytes]),
  );
  const parts = last.used.flatMap((id) => {
    const bytes = known.get(id);
    return bytes === undefined ? [] : [{ id, bytes }];
  });
  return parts.length === last.used.length ? { parts, outline: last.outline } : undefined;
}

function applyChange(
  nodes: ReadonlyMap<string, NodeDef>,
  { removed, changed, added }: DraftChange,
): ReadonlyMap<string, NodeDef> {
  const result = new Map(nodes);
  // A name that is set again keeps its position in the map.
  for (const node of nodesOf(changed)) if (result.has(node.name)) result.set(node.name, node);
  for (const name of removed) result.delete(name);
  if (added.length === 0) return result;
  const followers = new Map(added.map(({ after, nodes: bytes }) => [after, nodesOf(bytes)]));
  const ordered: NodeDef[] = [...(followers.get("") ?? [])];
  for (const node of result.values()) {
    ordered.push(node);
    for (const follower of followers.get(node.name) ?? []) ordered.push(follower);
  }
  return new Map(ordered.map((node) => [node.name, node]));
}

function nodesOf(bytes: Uint8Array): readonly NodeDef[] {
  return GraphDef.decode(bytes).node;
}
