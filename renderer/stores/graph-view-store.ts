/**
 * What of a graph is open on the canvas, and how it is arranged. State of the window: it is never part of the document,
 * and its changes are no edits.
 */
import { hierarchyFor, isArranged, NO_WEIGHTS } from "../document/arrangement.js";
import type { Point } from "../document/model.js";
import { scopeOf } from "../document/scope-tree.js";
import { firstOpen, type Openness, scopesAround } from "../document/visible-graph.js";
import type { Arrangement } from "../layout/arrange.js";
import { perGraph } from "./document-session.js";
import { useGraph } from "./document-store.js";

export interface GraphViewStore {
  /** The document that all of it belongs to, by its generation. */
  readonly generation: number | undefined;
  /** What is to be open. */
  readonly openness: Openness;
  /** What is open on the canvas, which follows once its layout is computed; undefined: nothing is drawn yet. */
  readonly shown: { readonly openness: Openness; readonly arrangement: Arrangement } | undefined;
  /** True while a layout is computed. */
  readonly arranging: boolean;
  /** Where closed scopes were moved to, from where the contents of the scope around them begin. */
  readonly moved: ReadonlyMap<string, Point>;
  /** What the view does when what is to be open is drawn; undefined: it stays. */
  readonly next: NextView | undefined;
}

export type NextView =
  /** A scope that was opened or closed stays where it is seen. */
  | { readonly kind: "keep"; readonly scope: string }
  /** Nodes are brought into view. */
  | { readonly kind: "reveal"; readonly nodes: readonly string[] }
  /** A point p of the graph is seen at p · zoom + (x, y) of the canvas. */
  | {
      readonly kind: "move";
      readonly view: { readonly x: number; readonly y: number; readonly zoom: number };
    };

const CLOSED: Openness = { scopes: new Set(), weights: NO_WEIGHTS };

const nothingShown = {
  generation: undefined,
  openness: CLOSED,
  shown: undefined,
  arranging: false,
  moved: new Map<string, Point>(),
  next: undefined,
};

export const useGraphView = perGraph<GraphViewStore>(() => nothingShown);

/** Whether the open document is arranged by the window, so that scopes open and close. */
export function hasScopes(): boolean {
  return isArranged(useGraph.getState().document);
}

/** Begins with what is open at first when another document was opened. */
export function followDocument(): void {
  const { document, generation } = useGraph.getState();
  if (useGraphView.getState().generation === generation) return;
  const openness = isArranged(document)
    ? { scopes: new Set(firstOpen(hierarchyFor(document.nodes, NO_WEIGHTS))), weights: NO_WEIGHTS }
    : CLOSED;
  useGraphView.setState({ ...nothingShown, generation, openness });
}

function change(openness: Partial<Openness>, next?: NextView): void {
  useGraphView.setState((state) => ({ openness: { ...state.openness, ...openness }, next }));
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
  const { weights } = hierarchyFor(nodes, useGraphView.getState().openness.weights);
  return names.flatMap((name) => [name, ...(weights.folded.get(name) ?? [])]);
}

/** Opens the scopes around nodes too, and brings them into view. */
function openWithScopes(weights: Openness["weights"], names: readonly string[]): void {
  const { scopes } = useGraphView.getState().openness;
  const { tree } = hierarchyFor(useGraph.getState().document.nodes, weights);
  const around = names.flatMap((name) => scopesAround(tree, scopeOf(tree, name)).map(({ id }) => id));
  change({ scopes: new Set([...scopes, ...around]), weights }, reveal(names));
}

export const graphViewActions = {
  open(ids: Iterable<string>): void {
    const { openness } = useGraphView.getState();
    const added = [...ids].filter((id) => !openness.scopes.has(id));
    if (added.length > 0) change({ scopes: new Set([...openness.scopes, ...added]) }, keep(added[0]));
  },

  close(ids: Iterable<string>): void {
    const scopes = new Set(useGraphView.getState().openness.scopes);
    const closed = [...ids].filter((id) => scopes.delete(id));
    if (closed.length > 0) change({ scopes }, keep(closed[0]));
  },

  /** Opens these scopes and no others. */
  openOnly: (ids: Iterable<string>): void => change({ scopes: new Set(ids) }),

  /** Draws the parameters of a node as nodes, or at the node again. */
  toggleWeights(names: readonly string[]): void {
    const { weights } = useGraphView.getState().openness;
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
    const { weights } = useGraphView.getState().openness;
    const { nodes } = useGraph.getState().document;
    const hierarchy = hierarchyFor(nodes, weights);
    const users = names.flatMap((name) =>
      hierarchy.isShown(name) ? [] : [...(hierarchy.weights.owners.get(name) ?? [])].slice(0, 1),
    );
    const all = users.length === 0 || weights === "all" ? weights : new Set([...weights, ...users]);
    openWithScopes(all, names);
  },

  toggleAllWeights: (): void =>
    change({ weights: useGraphView.getState().openness.weights === "all" ? NO_WEIGHTS : "all" }),

  moveBoxes: (places: ReadonlyMap<string, Point>): void =>
    useGraphView.setState(({ moved }) => ({ moved: new Map([...moved, ...places]) })),

  /** Goes back to what was open, and to how it was seen. */
  restore: (openness: Openness, view: { x: number; y: number; zoom: number }): void =>
    useGraphView.setState({ openness, next: { kind: "move", view } }),
};
