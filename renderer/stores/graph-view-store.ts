/**
 * The open scopes of a graph on the canvas, and its arrangement. State of the window: it is never part of the document,
 * and its changes are no edits.
 */
import { hierarchyFor, isArranged, NO_WEIGHTS, readyHierarchy } from "../document/arrangement.js";
import type { Point } from "../document/model.js";
import { AllBut, withClosed, withOpened } from "../document/open-scopes.js";
import { scopeOf } from "../document/scope-tree.js";
import { firstOpen, type Hierarchy, type Openness, scopesAround } from "../document/visible-graph.js";
import type { Arrangement } from "../layout/arrange.js";
import { perGraph } from "./document-session.js";
import { useGraph } from "./document-store.js";

export interface GraphViewStore {
  /** The document that all of it belongs to, by its generation. */
  readonly generation: number | undefined;
  /** The scopes that are to be open. */
  readonly openness: Openness;
  /** The scopes that are open on the canvas, which follows once its layout is computed; undefined: nothing is drawn yet. */
  readonly shown: { readonly openness: Openness; readonly arrangement: Arrangement } | undefined;
  /** Both as they were before an edit by which the window began, or ceased, to arrange the graph. */
  readonly before: Pick<GraphViewStore, "openness" | "shown"> | undefined;
  /** True while a layout is computed. */
  readonly arranging: boolean;
  /** Where closed scopes were moved to, from where the contents of the scope around them begin. */
  readonly moved: ReadonlyMap<string, Point>;
  /** The movement of the view when what is to be open is drawn; undefined: it stays. */
  readonly next: NextView | undefined;
}

export type NextView =
  /** A scope that was opened or closed stays where it is seen. */
  | { readonly kind: "keep"; readonly scope: string }
  /** The whole graph is shown. */
  | { readonly kind: "fit" }
  /** Nodes are brought into view. */
  | { readonly kind: "reveal"; readonly nodes: readonly string[] }
  /** A point p of the graph is seen at p · zoom + (x, y) of the canvas. */
  | {
      readonly kind: "move";
      readonly view: { readonly x: number; readonly y: number; readonly zoom: number };
    };

const CLOSED: Openness = { scopes: new Set(), weights: NO_WEIGHTS };
/** The state for a graph whose nodes have positions: all of it is drawn until the user closes something. */
const ALL_OPEN: Openness = { scopes: new AllBut([]), weights: "all" };
/** The arrangement of such a graph: none. */
export const NOT_ARRANGED: Arrangement = {
  places: new Map(),
  frames: new Map(),
  routes: new Map(),
  origins: new Map(),
};

const nothingShown = {
  generation: undefined,
  openness: CLOSED,
  shown: undefined,
  before: undefined,
  arranging: false,
  moved: new Map<string, Point>(),
  next: undefined,
};

export const useGraphView = perGraph<GraphViewStore>(() => nothingShown);

/** Whether the window arranges the open graph. */
export function isGraphArranged(): boolean {
  return isArranged(useGraph.getState().document);
}

/** Whether the open graph has scopes that open and close. */
export function hasScopes(): boolean {
  return (
    isGraphArranged() || (readyScopes()?.tree.root.children ?? []).some((one) => typeof one !== "string")
  );
}

/** The scopes of the open graph; undefined while those of a large one, which is drawn whole, are looked for. */
export function readyScopes(): Hierarchy | undefined {
  return readyHierarchy(useGraph.getState().document.nodes, opennessNow().weights);
}

/** The scopes to be open in the graph as it is now; the canvas, which follows it, may not have seen its newest edit. */
export function opennessNow(): Openness {
  const { openness } = useGraphView.getState();
  if (suits(openness)) return openness;
  return isGraphArranged() ? CLOSED : ALL_OPEN;
}

/** Whether it is of a graph that is arranged, or of one whose nodes have positions, as the open one is. */
export function suits({ scopes }: Openness): boolean {
  return isGraphArranged() !== scopes instanceof AllBut;
}

/** Begins with what is open at first when another document was opened. */
export function followDocument(): void {
  const { document, generation } = useGraph.getState();
  const { generation: known, openness, shown, before } = useGraphView.getState();
  if (known === generation && suits(openness)) return;
  const placed = { openness: ALL_OPEN, shown: { openness: ALL_OPEN, arrangement: NOT_ARRANGED } };
  if (known === generation) {
    const other = isArranged(document) ? { openness: CLOSED, shown: undefined } : placed;
    useGraphView.setState({ ...(before ?? other), before: { openness, shown }, next: undefined });
  } else if (isArranged(document)) {
    const scopes = new Set(firstOpen(hierarchyFor(document.nodes, NO_WEIGHTS)));
    useGraphView.setState({ ...nothingShown, generation, openness: { scopes, weights: NO_WEIGHTS } });
  } else useGraphView.setState({ ...nothingShown, generation, ...placed });
}

function change(openness: Partial<Openness>, next?: NextView): void {
  useGraphView.setState({ openness: { ...opennessNow(), ...openness }, next });
}

function keep(scope: string | undefined): NextView | undefined {
  return scope === undefined ? undefined : { kind: "keep", scope };
}

function reveal(nodes: readonly string[]): NextView {
  return { kind: "reveal", nodes };
}

/** The parameters that are drawn at nodes. */
function foldedInto(names: readonly string[]): string[] {
  const { nodes } = useGraph.getState().document;
  const { weights } = hierarchyFor(nodes, opennessNow().weights);
  return names.flatMap((name) => [name, ...(weights.folded.get(name) ?? [])]);
}

function allScopes(): Iterable<string> {
  return hierarchyFor(useGraph.getState().document.nodes, opennessNow().weights).tree.byId.keys();
}

/** Opens the scopes around nodes too, and brings them into view. */
function openWithScopes(weights: Openness["weights"], names: readonly string[]): void {
  const { scopes } = opennessNow();
  const { tree } = hierarchyFor(useGraph.getState().document.nodes, weights);
  const around = names.flatMap((name) => scopesAround(tree, scopeOf(tree, name)).map(({ id }) => id));
  change({ scopes: withOpened(scopes, around), weights }, reveal(names));
}

export const graphViewActions = {
  open(ids: Iterable<string>): void {
    const { scopes } = opennessNow();
    const added = [...ids].filter((id) => !scopes.has(id));
    if (added.length > 0) change({ scopes: withOpened(scopes, added) }, keep(added[0]));
  },

  close(ids: Iterable<string>): void {
    const { scopes } = opennessNow();
    const closed = [...ids].filter((id) => scopes.has(id));
    if (closed.length > 0) change({ scopes: withClosed(scopes, closed) }, keep(closed[0]));
  },

  openAll: (): void => change({ scopes: isGraphArranged() ? new Set(allScopes()) : ALL_OPEN.scopes }),
  closeAll: (): void => change({ scopes: isGraphArranged() ? CLOSED.scopes : new AllBut(allScopes()) }),

  /** Shows the whole graph once it is arranged with the newest edit. */
  fitNext: (): void => useGraphView.setState({ next: { kind: "fit" } }),

  /** Draws the parameters of a node as nodes, or at the node again. */
  toggleWeights(names: readonly string[]): void {
    const { weights } = opennessNow();
    const after = new Set(weights === "all" ? [] : weights);
    const isOpen = weights === "all" || names.every((name) => weights.has(name));
    for (const name of names) {
      if (isOpen) after.delete(name);
      else after.add(name);
    }
    if (isOpen) change({ weights: after.size === 0 ? NO_WEIGHTS : after }, reveal(names));
    else openWithScopes(after, foldedInto(names));
  },

  /** Opens what nodes are hidden in: the scopes around them, or the node that they are parameters of. */
  uncover(names: readonly string[]): void {
    const { weights } = opennessNow();
    const { nodes } = useGraph.getState().document;
    const hierarchy = hierarchyFor(nodes, weights);
    const users = names.flatMap((name) =>
      hierarchy.isShown(name) ? [] : [...(hierarchy.weights.owners.get(name) ?? [])].slice(0, 1),
    );
    const all = users.length === 0 || weights === "all" ? weights : new Set([...weights, ...users]);
    openWithScopes(all, names);
  },

  toggleAllWeights: (): void => change({ weights: opennessNow().weights === "all" ? NO_WEIGHTS : "all" }),

  moveBoxes: (places: ReadonlyMap<string, Point>): void =>
    useGraphView.setState(({ moved }) => ({ moved: new Map([...moved, ...places]) })),

  /** Goes back to what was open, and to how it was seen. */
  restore: (openness: Openness, view: { x: number; y: number; zoom: number }): void =>
    useGraphView.setState({ openness, next: { kind: "move", view } }),
};
