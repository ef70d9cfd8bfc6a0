/** The commands of the selected nodes. Given other nodes, they select those first. */
import { flushSync } from "react-dom";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { colocatedNodes } from "../../worker-runtime/graph/colocation-groups.js";
import { chosenRun } from "../document/run-inputs.js";
import { signatureOf } from "../document/signature.js";
import { tensorName } from "../document/tensor-names.js";
import { documentActions, lookupOp, useGraph } from "../stores/document-store.js";
import { shownFunction } from "../stores/function-bodies.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { openEdgeMenu } from "../viewport/new-node-place.js";
import { useCanvas } from "../viewport/view-store.js";
import { defineCommands, when } from "./command.js";
import { nodesTarget, nodeTarget } from "./target-kinds.js";

const words = texts.commands.node;

/** Makes these nodes the selection, which panels and choosers use. */
export function selectOnly(names: readonly string[]): void {
  const { selection } = useGraph.getState();
  const same = selection.size === names.length && names.every((name) => selection.has(name));
  if (!same) documentActions.select([...names]);
}

export const nodeCount = (names: readonly string[]) => words.nodeCount({ count: names.length });

function outputsOf(node: NodeDef): number {
  return signatureOf(node, lookupOp)?.outputs.length ?? 0;
}

/** Whether a step fetches the node's first output, or runs the node where it has none. */
function isWanted(node: NodeDef): boolean {
  const { document } = useGraph.getState();
  const { fetches, targets } = chosenRun(document, lookupOp);
  return outputsOf(node) > 0 ? fetches.includes(tensorName(node.name, 0)) : targets.includes(node.name);
}

/** Within a function, nothing is fetched or run by itself: its callers run it. */
export const isRunByItself = (): boolean => shownFunction() === undefined;

function isColocated(names: readonly string[]): boolean {
  const { nodes } = useGraph.getState().document;
  return names.some((name) => colocatedNodes(nodes.get(name)?.attr ?? new Map()).length > 0);
}

/** Opens the inspector and puts the focus on a field of it. */
export function focusInspector(field = "input, select"): void {
  flushSync(() => uiActions.toggleInspector(true));
  const found = document.querySelector<HTMLElement>(`[data-inspector] :is(${field})`);
  found?.focus();
  if (found instanceof HTMLInputElement) found.select();
}

/** The card under the selected node that says what is wrong with it. */
function problemCard(): HTMLElement | null {
  return document.querySelector<HTMLElement>("[data-node-problems]");
}

export const nodeCommands = defineCommands(nodeTarget, {
  inspect: {
    id: "graph.inspect",
    group: "Graph",
    label: words.inspect.label,
    icon: "info",
    run: ({ name }) => {
      selectOnly([name]);
      focusInspector();
    },
  },
  rename: {
    id: "graph.rename",
    group: "Graph",
    label: words.rename.label,
    shortcut: "F2",
    onCanvas: true,
    run: ({ name }) => {
      selectOnly([name]);
      focusInspector('[aria-labelledby="name-label"]');
    },
  },
  fetch: {
    id: "graph.fetch",
    group: "Graph",
    label: words.fetch.label,
    keywords: words.fetch.keywords,
    applies: isRunByItself,
    isOn: isWanted,
    run: (node) => {
      if (outputsOf(node) > 0) documentActions.toggleFetch(tensorName(node.name, 0));
      else documentActions.toggleTarget(node.name);
    },
  },
  problem: {
    id: "graph.toProblem",
    group: "Graph",
    label: words.problem.label,
    keywords: words.problem.keywords,
    shortcut: "Mod+.",
    isEnabled: () => when(problemCard() !== null, words.problem.reason),
    run: () => {
      const card = problemCard();
      (card?.querySelector<HTMLElement>("button") ?? card)?.focus();
    },
  },
  connect: {
    id: "graph.connect",
    group: "Graph",
    label: words.connect.label,
    shortcut: "C",
    onCanvas: true,
    isEnabled: (node) => when(outputsOf(node) > 0, words.connect.reason({ op: node.op })),
    run: ({ name }) => openEdgeMenu({ type: "output", end: { node: name, output: 0 } }),
  },
});

export const nodesCommands = defineCommands(nodesTarget, {
  pin: {
    id: "graph.pin",
    group: "Graph",
    label: words.nodes.pin.label,
    icon: "pin",
    shortcut: "P",
    onCanvas: true,
    hint: nodeCount,
    run: (names) => {
      selectOnly(names);
      useCanvas.setState({ pinChooserOpen: true });
    },
  },
  unpin: {
    id: "graph.unpin",
    group: "Graph",
    label: words.nodes.unpin.label,
    named: (name) => words.nodes.unpin.named({ name }),
    hint: () => words.nodes.unpin.hint,
    isEnabled: (names) => {
      const { nodes } = useGraph.getState().document;
      return when(
        names.some((name) => nodes.get(name)?.device !== ""),
        words.nodes.unpin.reason,
      );
    },
    run: (names) => void documentActions.pin([...names], ""),
  },
  device: {
    id: "graph.device",
    group: "Graph",
    label: words.nodes.device.label,
    short: () => words.nodes.device.short,
    keywords: words.nodes.device.keywords,
    hint: nodeCount,
    run: (nodes) => uiActions.open({ kind: "device", nodes }),
  },
  colocate: {
    id: "graph.colocate",
    group: "Graph",
    label: words.nodes.colocate.label,
    short: () => words.nodes.colocate.short,
    keywords: words.nodes.colocate.keywords,
    hint: nodeCount,
    run: (nodes) => uiActions.open({ kind: "colocate", nodes }),
  },
  scope: {
    id: "graph.moveToScope",
    group: "Graph",
    label: words.nodes.scope.label,
    short: () => words.nodes.scope.short,
    keywords: words.nodes.scope.keywords,
    hint: nodeCount,
    run: (nodes) => uiActions.open({ kind: "scope", nodes }),
  },
  separate: {
    id: "graph.separate",
    group: "Graph",
    label: words.nodes.separate.label,
    short: () => words.nodes.separate.short,
    named: (name) => words.nodes.separate.named({ name }),
    hint: nodeCount,
    applies: isColocated,
    run: (names) => void documentActions.separate(names),
  },
  bypass: {
    id: "edit.bypass",
    group: "Edit",
    label: words.nodes.bypass.label,
    short: () => words.nodes.bypass.short,
    keywords: words.nodes.bypass.keywords,
    shortcut: "Shift+Delete",
    danger: true,
    onCanvas: true,
    hint: nodeCount,
    run: (names) => void documentActions.bypassNodes(names),
  },
  duplicate: {
    id: "edit.duplicate",
    group: "Edit",
    label: words.nodes.duplicate.label,
    shortcut: "Mod+D",
    onCanvas: true,
    hint: nodeCount,
    run: (names) => {
      selectOnly(names);
      documentActions.duplicate();
    },
  },
});
