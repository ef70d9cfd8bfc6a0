import { texts } from "../../texts/texts.js";
import type { ClusterConfigRow, GraphDocument } from "../model.js";
import { type EditResult, edit, refused } from "./types.js";

const words = texts.document.edits.cluster;

/** Replaces the cluster that the document wants. */
export function setCluster(document: GraphDocument, after: readonly ClusterConfigRow[]): EditResult {
  if (JSON.stringify(after) === JSON.stringify(document.cluster)) return refused(words.same);
  return edit({
    label: words.label,
    operations: [{ type: "cluster", before: document.cluster, after }],
  });
}
