/** What can be done with the selected nodes. */
import { flushSync } from "react-dom";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { chosenRun } from "../document/run-inputs.js";
import { signatureOf } from "../document/signature.js";
import { tensorName } from "../document/tensor-names.js";
import { documentActions, lookupOp, useDocument } from "../stores/document-store.js";
import { uiActions } from "../stores/ui-store.js";
import { openEdgeMenu } from "../viewport/new-node-place.js";
import { useCanvas } from "../viewport/view-store.js";
import type { Command } from "./command.js";

/** Why nothing can be done with the selection: there is none. */
export function nothingSelected(): string | undefined {
  return useDocument.getState().selection.size > 0 ? undefined : "No node is selected.";
}

export function selectionHint(): string | undefined {
  const { size } = useDocument.getState().selection;
  return size === 0 ? undefined : size === 1 ? "1 node" : `${size} nodes`;
}

/** The node that is selected alone. */
function single(): NodeDef | undefined {
  const { selection, document } = useDocument.getState();
  const [name] = selection;
  return selection.size === 1 && name !== undefined ? document.nodes.get(name) : undefined;
}

function notOne(): string | undefined {
  if (single()) return undefined;
  return nothingSelected() ?? "Several nodes are selected.";
}

function outputsOf(node: NodeDef): number {
  return signatureOf(node, lookupOp)?.outputs.length ?? 0;
}

function noOutput(): string | undefined {
  const node = single();
  if (!node) return notOne();
  return outputsOf(node) > 0 ? undefined : `${node.op} has no output.`;
}

/** Whether a step fetches the node's first output, or runs the node where it has none. */
function isWanted(node: NodeDef): boolean {
  const { document } = useDocument.getState();
  const { fetches, targets } = chosenRun(document, lookupOp);
  return outputsOf(node) > 0 ? fetches.includes(tensorName(node.name, 0)) : targets.includes(node.name);
}

/** Opens the inspector and puts the focus on a field of it. */
export function focusInspector(field = "input, select"): void {
  flushSync(() => uiActions.toggleInspector(true));
  const found = document.querySelector<HTMLElement>(`[data-inspector] :is(${field})`);
  found?.focus();
  if (found instanceof HTMLInputElement) found.select();
}

export const nodeCommands: readonly Command[] = [
  {
    id: "graph.inspect",
    label: "Inspect the node",
    icon: "info",
    group: "Graph",
    run: () => focusInspector(),
    unavailable: notOne,
  },
  {
    id: "graph.rename",
    label: "Rename the node…",
    shortcut: "F2",
    group: "Graph",
    onCanvas: true,
    run: () => focusInspector('[aria-labelledby="name-label"]'),
    unavailable: notOne,
  },
  {
    id: "graph.fetch",
    label: "Fetch with every step",
    group: "Graph",
    keywords: "run, result, output, target",
    run: () => {
      const node = single();
      if (!node) return;
      if (outputsOf(node) > 0) documentActions.toggleFetch(tensorName(node.name, 0));
      else documentActions.toggleTarget(node.name);
    },
    unavailable: notOne,
    hint: () => {
      const node = single();
      return node && isWanted(node) ? "on" : undefined;
    },
  },
  {
    id: "graph.pin",
    label: "Pin selection to a task…",
    icon: "pin",
    shortcut: "P",
    group: "Graph",
    onCanvas: true,
    run: () => useCanvas.setState({ pinChooserOpen: true }),
    unavailable: nothingSelected,
    hint: selectionHint,
  },
  {
    id: "graph.unpin",
    label: "Unpin selection",
    group: "Graph",
    run: () => void documentActions.pin([...useDocument.getState().selection], ""),
    unavailable: () => {
      const { selection, document } = useDocument.getState();
      const pinned = [...selection].some((name) => document.nodes.get(name)?.device !== "");
      return nothingSelected() ?? (pinned ? undefined : "Nothing of it is pinned.");
    },
    hint: () => "let the engine place it",
  },
  {
    id: "graph.connect",
    label: "Connect the node's output…",
    shortcut: "C",
    group: "Graph",
    onCanvas: true,
    run: () => {
      const node = single();
      if (node) openEdgeMenu({ type: "output", end: { node: node.name, output: 0 } });
    },
    unavailable: noOutput,
  },
];
