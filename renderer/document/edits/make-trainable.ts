import type { Trainable } from "../../../worker-runtime/graph/training/trainable/make-trainable.js";
import { texts } from "../../texts/texts.js";
import { isArranged } from "../arrangement.js";
import type { GraphDocument, RunConfig } from "../model.js";
import { type NodeChange, replaceNodes } from "../operations.js";
import { uniqueName } from "../run-configs.js";
import { withRunConfig } from "./run-configs.js";
import { type EditResult, edit } from "./types.js";

const words = texts.document.edits.makeTrainable;

/**
 * Adds what trains the graph, and a run configuration that does. As with a layer, the window then arranges the graph.
 *
 * @param steps of the new configuration
 */
export function makeTrainable(
  document: GraphDocument,
  { added, pinned, plan }: Trainable,
  steps: number,
): EditResult {
  const changes = added.map((after, at): NodeChange => ({ after, index: document.nodes.size + at }));
  const moved = [...pinned].flatMap(([name, device]) => {
    const node = document.nodes.get(name);
    return node ? [[node, { ...node, device }] as const] : [];
  });
  const { feeds, batches } = document.runConfig;
  const config: RunConfig = {
    ...{ name: uniqueName(words.configuration, document), feeds, batches, steps, stops: [], trace: false },
    fetches: [plan.loss],
    // A synchronous step waits for all workers: only a run that steps all of them can make it.
    targets: plan.scheme === "sync" ? [] : [plan.train],
    training: plan,
  };
  const withConfig = withRunConfig(document, config, true);
  if (typeof withConfig === "string") return { ok: false, reason: withConfig };
  const moves = isArranged(document) ? [] : [...document.layout].map(([node, from]) => ({ node, from }));
  return edit({
    label: words.label,
    operations: [...replaceNodes(moved), { type: "nodes", changes }, { type: "layout", moves }, withConfig],
    // Selected nodes would be shown, and so the scope opened.
    select: [],
  });
}
