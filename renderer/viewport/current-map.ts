/** The map of the open document; recomputed when its graph, its layout or the op list changes. */
import { recordPerDocument } from "../stores/document-session.js";
import { lookupOp, useDocument } from "../stores/document-store.js";
import { useOps } from "../stores/ops-store.js";
import { type GraphMap, mapOf } from "./graph-map.js";

const remembered = recordPerDocument(
  (): { known?: { readonly of: readonly unknown[]; readonly map: GraphMap } } => ({}),
);

export function currentMap(): GraphMap {
  const { document } = useDocument.getState();
  const of = [document.nodes, document.layout, document.metaGraph, useOps.getState().ops];
  const record = remembered();
  const { known } = record;
  if (known && of.every((value, index) => value === known.of[index])) return known.map;
  const map = mapOf(document, lookupOp);
  record.known = { of, map };
  return map;
}
