import type { FeedValue } from "../../../main/api/runs.js";
import type { GraphDocument, RunConfig } from "../model.js";
import { type EditResult, edit, refused } from "./types.js";

function change(document: GraphDocument, label: string, after: RunConfig, mergeKey?: string): EditResult {
  return edit({
    label,
    operations: [{ type: "run-config", before: document.runConfig, after }],
    ...(mergeKey === undefined ? {} : { mergeKey }),
  });
}

/** Feeds a tensor or, with undefined, takes its feed away. */
export function setFeed(document: GraphDocument, tensor: string, value: FeedValue | undefined): EditResult {
  const feeds = { ...document.runConfig.feeds };
  if (value) feeds[tensor] = value;
  else if (tensor in feeds) delete feeds[tensor];
  else return refused("Nothing is fed.");
  const label = value ? `Feed ${tensor}` : `Stop feeding ${tensor}`;
  return change(document, label, { ...document.runConfig, feeds });
}

/**
 * Turns the fetching of a tensor on or off.
 * @param present what a run fetches now; where nothing was chosen, the outputs that nothing consumes
 */
export function toggleFetch(
  document: GraphDocument,
  tensor: string,
  present: readonly string[] = document.runConfig.fetches,
): EditResult {
  const on = present.includes(tensor);
  const fetches = on ? present.filter((name) => name !== tensor) : [...present, tensor];
  if (fetches.length === 0 && document.runConfig.targets.length === 0) {
    return refused(`A run has to fetch something. Fetch another output before you leave out ${tensor}.`);
  }
  return change(document, `${on ? "Stop fetching" : "Fetch"} ${tensor}`, { ...document.runConfig, fetches });
}

export function toggleTarget(document: GraphDocument, node: string): EditResult {
  const { targets } = document.runConfig;
  const on = targets.includes(node);
  const after = on ? targets.filter((name) => name !== node) : [...targets, node];
  return change(document, `${on ? "Do not run" : "Run"} ${node}`, { ...document.runConfig, targets: after });
}

/** Number of steps of a long run, and whether runs are traced. */
export function setRunOptions(
  document: GraphDocument,
  options: Partial<Pick<RunConfig, "steps" | "trace">>,
): EditResult {
  return change(document, "Change the run settings", { ...document.runConfig, ...options }, "run settings");
}
