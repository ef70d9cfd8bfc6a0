import type { ClusterConfigRow, GraphDocument } from "../model.js";
import { type EditResult, edit, refused } from "./types.js";

/** Replaces the cluster that the document wants. */
export function setCluster(document: GraphDocument, after: readonly ClusterConfigRow[]): EditResult {
  if (JSON.stringify(after) === JSON.stringify(document.cluster)) return refused("The cluster is the same.");
  return edit({
    label: "Change the cluster",
    operations: [{ type: "cluster", before: document.cluster, after }],
  });
}
