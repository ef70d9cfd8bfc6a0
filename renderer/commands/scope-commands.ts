/** The commands for scopes: what of the graph is open on the canvas. */

import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { hierarchyFor } from "../document/arrangement.js";
import { nodesInScope } from "../document/visible-graph.js";
import { wiringOf } from "../document/wiring.js";
import { documentActions, useGraph } from "../stores/document-store.js";
import { graphViewActions, hasScopes, useGraphView } from "../stores/graph-view-store.js";
import { countText } from "../ui/format.js";
import { cancelArranging } from "../viewport/arranging.js";
import { goBack, goForward, goToNode, rememberStop, useTravel } from "../viewport/travel.js";
import { showItem } from "../viewport/view.js";
import { defineCommands, type Enabled, when } from "./command.js";
import { closedScopesTarget, nodesTarget, nodeTarget, noTarget, openScopesTarget } from "./target-kinds.js";

const NO_SCOPES = "Its nodes have positions of their own. Arrange the graph to draw it in scopes.";

const scopesExist = (): Enabled => when(hasScopes(), NO_SCOPES);

function hierarchy() {
  const { nodes } = useGraph.getState().document;
  return hierarchyFor(nodes, useGraphView.getState().openness.weights);
}

/** Drawn at once, more nodes can neither be laid out in time nor be read. */
const MAX_OPEN = 2_000;

export const closedScopeCommands = defineCommands(closedScopesTarget, {
  open: {
    id: "graph.openScope",
    group: "Graph",
    label: "Open the scope",
    named: (name) => `Open ${name}`,
    keywords: "expand, block, group",
    icon: "chevron-right",
    shortcut: "E",
    onCanvas: true,
    hint: (scopes) => (scopes.length > 1 ? countText(scopes.length, "scope") : undefined),
    run: (scopes) => {
      rememberStop();
      graphViewActions.open(scopes.map(({ id }) => id));
    },
  },
});

export const openScopeCommands = defineCommands(openScopesTarget, {
  close: {
    id: "graph.closeScope",
    group: "Graph",
    label: "Close the scope",
    named: (name) => `Close ${name}`,
    keywords: "collapse, block, group",
    icon: "chevron-down",
    shortcut: "Shift+E",
    onCanvas: true,
    run: (scopes) => {
      rememberStop();
      graphViewActions.close(scopes.map(({ id }) => id));
    },
  },
  show: {
    id: "graph.showScope",
    group: "Graph",
    label: "Show the scope",
    named: (name) => `Show ${name}`,
    keywords: "zoom, fit",
    run: ([scope]) => {
      if (scope) showItem(scope.id);
    },
  },
  select: {
    id: "graph.selectScope",
    group: "Graph",
    label: "Select all in the scope",
    named: (name) => `Select all in ${name}`,
    run: (scopes) => documentActions.select(scopes.flatMap((scope) => [...nodesInScope(scope, hierarchy())])),
  },
});

export const scopesCommands = defineCommands(noTarget, {
  openAll: {
    id: "graph.openAllScopes",
    group: "Graph",
    label: "Open all scopes",
    keywords: "expand all",
    isEnabled: () => {
      if (!hasScopes()) return { reason: NO_SCOPES };
      const { size } = hierarchy().tree.root;
      return when(
        size <= MAX_OPEN,
        `It has ${countText(size, "node")}; up to ${MAX_OPEN} are drawn at once.`,
      );
    },
    run: () => {
      rememberStop();
      graphViewActions.openOnly(hierarchy().tree.byId.keys());
    },
  },
  closeAll: {
    id: "graph.closeAllScopes",
    group: "Graph",
    label: "Close all scopes",
    keywords: "collapse all",
    isEnabled: () => {
      if (!hasScopes()) return { reason: NO_SCOPES };
      return when(useGraphView.getState().openness.scopes.size > 0, "No scope is open.");
    },
    run: () => {
      rememberStop();
      graphViewActions.openOnly([]);
    },
  },
  weights: {
    id: "graph.allWeights",
    group: "Graph",
    label: "Draw weights as nodes",
    keywords: "parameters, constants, variables, fold, unfold",
    isOn: () => useGraphView.getState().openness.weights === "all",
    isEnabled: scopesExist,
    run: () => graphViewActions.toggleAllWeights(),
  },
  cancelArranging: {
    id: "graph.cancelArranging",
    group: "Graph",
    label: "Do not wait for the layout",
    short: () => "Cancel",
    note: () => "What is open is drawn in rows.",
    isEnabled: () => when(useGraphView.getState().arranging, "No layout is being computed."),
    run: () => cancelArranging(),
  },
  back: {
    id: "view.back",
    group: "View",
    label: "Go back",
    keywords: "history, previous place",
    icon: "chevron-left",
    shortcut: "Mod+[",
    isEnabled: () => when(useTravel.getState().past.length > 0, "You have not jumped yet."),
    run: () => goBack(),
  },
  forward: {
    id: "view.forward",
    group: "View",
    label: "Go forward",
    keywords: "history, next place",
    icon: "chevron-right",
    shortcut: "Mod+]",
    isEnabled: () => when(useTravel.getState().future.length > 0, "You have not gone back."),
    run: () => goForward(),
  },
});

/** Nodes at the other end of edges, those that are drawn first. */
function neighbours({ name }: NodeDef, side: "incoming" | "outgoing"): string[] {
  const { nodes } = useGraph.getState().document;
  const edges = wiringOf(nodes)[side].get(name) ?? [];
  const names = [...new Set(edges.map(({ from, to }) => (side === "incoming" ? from : to)))];
  const { isShown } = hierarchy();
  return [...names.filter(isShown), ...names.filter((one) => !isShown(one))];
}

export const jumpCommands = defineCommands(nodeTarget, {
  input: {
    id: "graph.goToInput",
    group: "Graph",
    label: "Go to the first input",
    keywords: "jump along the edge, producer",
    shortcut: "[",
    onCanvas: true,
    isEnabled: (node) => when(neighbours(node, "incoming").length > 0, "It has no input."),
    run: (node) => goToNode(neighbours(node, "incoming")[0] ?? node.name),
  },
  reader: {
    id: "graph.goToReader",
    group: "Graph",
    label: "Go to what reads it",
    keywords: "jump along the edge, consumer",
    shortcut: "]",
    onCanvas: true,
    isEnabled: (node) => when(neighbours(node, "outgoing").length > 0, "Nothing reads it."),
    run: (node) => goToNode(neighbours(node, "outgoing")[0] ?? node.name),
  },
});

/** The nodes among these that have parameters. */
function withParameters(names: readonly string[]): string[] {
  if (!hasScopes()) return [];
  const { parameters } = hierarchy().weights;
  return names.filter((name) => parameters.has(name));
}

export const weightCommands = defineCommands(nodesTarget, {
  toggle: {
    id: "graph.weights",
    group: "Graph",
    label: "Draw its weights as nodes",
    named: (name) => `Draw the weights of ${name} as nodes`,
    keywords: "parameters, constants, variables, fold, unfold",
    shortcut: "W",
    onCanvas: true,
    applies: () => hasScopes(),
    isOn: (names) => {
      const { weights } = useGraphView.getState().openness;
      return weights === "all" || withParameters(names).some((name) => weights.has(name));
    },
    isEnabled: (names) => when(withParameters(names).length > 0, "It has no weights."),
    run: (names) => graphViewActions.toggleWeights(withParameters(names)),
  },
});
