/** The commands for scopes: what of the graph is open on the canvas. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { hierarchyFor } from "../document/arrangement.js";
import { AllBut } from "../document/open-scopes.js";
import { nodesInScope } from "../document/visible-graph.js";
import { wiringOf } from "../document/wiring.js";
import { documentActions, useGraph } from "../stores/document-store.js";
import {
  graphViewActions,
  isGraphArranged,
  opennessNow,
  readyScopes,
  useGraphView,
} from "../stores/graph-view-store.js";
import { texts } from "../texts/texts.js";
import { cancelArranging } from "../viewport/arranging.js";
import { goBack, goForward, goToNode, rememberStop, useTravel } from "../viewport/travel.js";
import { fitGraph, showItem } from "../viewport/view.js";
import { defineCommands, when } from "./command.js";
import { closedScopesTarget, nodesTarget, nodeTarget, noTarget, openScopesTarget } from "./target-kinds.js";

const words = texts.commands.scope;

function hierarchy() {
  const { nodes } = useGraph.getState().document;
  return hierarchyFor(nodes, opennessNow().weights);
}

/** Drawn at once, more nodes can neither be laid out in time nor be read. */
const MAX_OPEN = 2_000;

export const closedScopeCommands = defineCommands(closedScopesTarget, {
  open: {
    id: "graph.openScope",
    group: "Graph",
    label: words.closedScope.open.label,
    named: (name) => words.closedScope.open.named({ name }),
    keywords: words.closedScope.open.keywords,
    icon: "chevron-right",
    shortcut: "E",
    onCanvas: true,
    hint: (scopes) =>
      scopes.length > 1 ? words.closedScope.open.hint({ scopes: scopes.length }) : undefined,
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
    label: words.openScope.close.label,
    named: (name) => words.openScope.close.named({ name }),
    keywords: words.openScope.close.keywords,
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
    label: words.openScope.show.label,
    named: (name) => words.openScope.show.named({ name }),
    keywords: words.openScope.show.keywords,
    run: ([scope]) => {
      if (!scope) return;
      if (isGraphArranged()) showItem(scope.id);
      else fitGraph(nodesInScope(scope, hierarchy()));
    },
  },
  select: {
    id: "graph.selectScope",
    group: "Graph",
    label: words.openScope.select.label,
    named: (name) => words.openScope.select.named({ name }),
    run: (scopes) => documentActions.select(scopes.flatMap((scope) => [...nodesInScope(scope, hierarchy())])),
  },
});

export const scopesCommands = defineCommands(noTarget, {
  openAll: {
    id: "graph.openAllScopes",
    group: "Graph",
    label: words.scopes.openAll.label,
    keywords: words.scopes.openAll.keywords,
    isEnabled: () => {
      const { scopes } = opennessNow();
      if (scopes instanceof AllBut) return when(scopes.closed.size > 0, words.scopes.openAll.noneClosed);
      const { size } = hierarchy().tree.root;
      return when(size <= MAX_OPEN, words.scopes.openAll.reason({ size, most: MAX_OPEN }));
    },
    run: () => {
      rememberStop();
      graphViewActions.openAll();
    },
  },
  closeAll: {
    id: "graph.closeAllScopes",
    group: "Graph",
    label: words.scopes.closeAll.label,
    keywords: words.scopes.closeAll.keywords,
    isEnabled: () => {
      const { scopes } = opennessNow();
      if (!(scopes instanceof AllBut)) return when(scopes.size > 0, words.scopes.closeAll.reason);
      const outer = readyScopes()?.tree.root.children ?? [];
      const isAnyOpen = outer.some((child) => typeof child !== "string" && scopes.has(child.id));
      return when(isAnyOpen, words.scopes.closeAll.reason);
    },
    run: () => {
      rememberStop();
      graphViewActions.closeAll();
    },
  },
  weights: {
    id: "graph.allWeights",
    group: "Graph",
    label: words.scopes.weights.label,
    keywords: words.scopes.weights.keywords,
    isOn: () => useGraphView.getState().openness.weights === "all",
    isEnabled: () => when(isGraphArranged(), words.hasPositions),
    run: () => graphViewActions.toggleAllWeights(),
  },
  cancelArranging: {
    id: "graph.cancelArranging",
    group: "Graph",
    label: words.scopes.cancelArranging.label,
    short: () => words.scopes.cancelArranging.short,
    note: () => words.scopes.cancelArranging.note,
    isEnabled: () => when(useGraphView.getState().arranging, words.scopes.cancelArranging.reason),
    run: () => cancelArranging(),
  },
  back: {
    id: "view.back",
    group: "View",
    label: words.scopes.back.label,
    keywords: words.scopes.back.keywords,
    icon: "chevron-left",
    shortcut: "Mod+[",
    isEnabled: () => when(useTravel.getState().past.length > 0, words.scopes.back.reason),
    run: () => goBack(),
  },
  forward: {
    id: "view.forward",
    group: "View",
    label: words.scopes.forward.label,
    keywords: words.scopes.forward.keywords,
    icon: "chevron-right",
    shortcut: "Mod+]",
    isEnabled: () => when(useTravel.getState().future.length > 0, words.scopes.forward.reason),
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
    label: words.jump.input.label,
    keywords: words.jump.input.keywords,
    shortcut: "[",
    onCanvas: true,
    isEnabled: (node) => when(neighbours(node, "incoming").length > 0, words.jump.input.reason),
    run: (node) => goToNode(neighbours(node, "incoming")[0] ?? node.name),
  },
  reader: {
    id: "graph.goToReader",
    group: "Graph",
    label: words.jump.reader.label,
    keywords: words.jump.reader.keywords,
    shortcut: "]",
    onCanvas: true,
    isEnabled: (node) => when(neighbours(node, "outgoing").length > 0, words.jump.reader.reason),
    run: (node) => goToNode(neighbours(node, "outgoing")[0] ?? node.name),
  },
});

/** The nodes among these that have parameters. */
function withParameters(names: readonly string[]): string[] {
  if (!isGraphArranged()) return [];
  const { parameters } = hierarchy().weights;
  return names.filter((name) => parameters.has(name));
}

export const weightCommands = defineCommands(nodesTarget, {
  toggle: {
    id: "graph.weights",
    group: "Graph",
    label: words.weight.toggle.label,
    named: (name) => words.weight.toggle.named({ name }),
    keywords: words.weight.toggle.keywords,
    shortcut: "W",
    onCanvas: true,
    applies: () => isGraphArranged(),
    isOn: (names) => {
      const { weights } = useGraphView.getState().openness;
      return weights === "all" || withParameters(names).some((name) => weights.has(name));
    },
    isEnabled: (names) => when(withParameters(names).length > 0, words.weight.toggle.reason),
    run: (names) => graphViewActions.toggleWeights(withParameters(names)),
  },
});
