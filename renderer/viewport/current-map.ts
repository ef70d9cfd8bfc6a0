/** The map of the open document; made anew when its graph, its layout or the op list changed. */
import { lookupOp, useDocument } from "../stores/document-store.js";
import { useOps } from "../stores/ops-store.js";
import { type GraphMap, mapOf } from "./graph-map.js";

let known: { readonly of: readonly unknown[]; readonly map: GraphMap } | undefined;

export function currentMap(): GraphMap {
  const { document } = useDocument.getState();
  const of = [document.nodes, document.layout, document.metaGraph, useOps.getState().ops];
  if (!known || of.some((value, index) => value !== known?.of[index])) {
    known = { of, map: mapOf(document, lookupOp) };
  }
  return known.map;
}
