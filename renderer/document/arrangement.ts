/** Whether a document's nodes are where their positions say, or are arranged by the window. Pure. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { atOnce, type Sliced } from "../../worker-runtime/graph/slices.js";
import { patchedHierarchy } from "./hierarchy-patch.js";
import type { GraphDocument } from "./model.js";
import type { Operation } from "./operations.js";
import { firstOpen, type Hierarchy, hierarchyOf, itemsOf, type Openness } from "./visible-graph.js";
import { slicedWiring, type Wiring, wiringOf } from "./wiring.js";

type Nodes = ReadonlyMap<string, NodeDef>;

/** A graph of up to so many nodes is drawn whole: all of it can be read. */
const MAX_WHOLE = 40;
/** If most of the nodes are weights and what initializes them, only a graph of up to so many can be read. */
const MAX_WHOLE_WITH_WEIGHTS = 16;
/** More than this in one drawing takes a layered layout too long. */
const MAX_ARRANGED = 600;

/**
 * Whether the window arranges the graph, in scopes that open and close. It does as soon as a node has no position: a
 * graph that was drawn here has one for every node. The positions that there are then count from the scope of their node.
 */
export function isArranged({ nodes, layout }: Pick<GraphDocument, "nodes" | "layout">): boolean {
  return layout.size < nodes.size;
}

/** Whether a graph without positions is better shown in scopes than node by node. */
export function* suitsScopes(nodes: Nodes): Sliced<boolean> {
  if (nodes.size <= MAX_WHOLE_WITH_WEIGHTS) return false;
  const hierarchy = yield* slicedHierarchy(nodes, NO_WEIGHTS);
  if (nodes.size <= MAX_WHOLE && hierarchy.weights.owners.size * 2 < nodes.size) return false;
  return itemsOf(hierarchy, new Set(firstOpen(hierarchy))).length <= MAX_ARRANGED;
}

/**
 * An edit of a document without the positions that it gives to new nodes in scopes: where the contents of a scope begin,
 * from which they would count, is not known to edits. The window arranges these nodes.
 */
export function withoutPlacesInScopes(
  document: Pick<GraphDocument, "nodes" | "layout">,
  operations: readonly Operation[],
): readonly Operation[] {
  if (!isArranged(document)) return operations;
  return operations.flatMap((operation): Operation[] => {
    if (operation.type !== "layout") return [operation];
    const moves = operation.moves.filter(({ node }) => document.nodes.has(node) || !node.includes("/"));
    return moves.length > 0 ? [{ type: "layout", moves }] : [];
  });
}

export const NO_WEIGHTS: Openness["weights"] = new Set<string>();

/**
 * The size of graphs from which on scopes are patched; in smaller ones they are found anew after each edit: their number and
 * names then are as in the file at once.
 */
export const PATCHED_FROM = 250;

const remembered = new WeakMap<
  Wiring,
  { readonly weights: Openness["weights"]; readonly hierarchy: Hierarchy }
>();

/**
 * The scopes of a graph, remembered while the wiring stays: pins and attributes change nothing of it. Those of a large
 * graph are only patched after an edit, until `adoptHierarchy` is called.
 */
export function hierarchyFor(nodes: Nodes, weights: Openness["weights"]): Hierarchy {
  return knownHierarchy(nodes, weights) ?? atOnce(slicedHierarchy(nodes, weights));
}

/** As `hierarchyFor`, but undefined for a large graph whose scopes were not found yet. */
export function readyHierarchy(nodes: Nodes, weights: Openness["weights"]): Hierarchy | undefined {
  return nodes.size < PATCHED_FROM ? hierarchyFor(nodes, weights) : knownHierarchy(nodes, weights);
}

function knownHierarchy(nodes: Nodes, weights: Openness["weights"]): Hierarchy | undefined {
  const wiring = wiringOf(nodes);
  const known = remembered.get(wiring);
  if (known?.weights === weights) return known.hierarchy;
  const { since } = wiring;
  const before = since && remembered.get(since.before);
  if (!since || before?.weights !== weights || nodes.size < PATCHED_FROM) return undefined;
  const hierarchy = patchedHierarchy(before.hierarchy, nodes, since.rewired);
  remembered.set(wiring, { weights, hierarchy });
  return hierarchy;
}

/** The scopes as they are found without regard to what they were before an edit, in slices. */
export function* slicedHierarchy(nodes: Nodes, weights: Openness["weights"]): Sliced<Hierarchy> {
  const wiring = yield* slicedWiring(nodes);
  const known = remembered.get(wiring);
  if (known?.weights === weights && !known.hierarchy.isPatched) return known.hierarchy;
  const hierarchy = yield* hierarchyOf(nodes, weights);
  // A patched one stays until this one can be shown.
  if (!knownHierarchy(nodes, weights)) remembered.set(wiring, { weights, hierarchy });
  return hierarchy;
}

/** Makes what `slicedHierarchy` has found the scopes of the graph. */
export function adoptHierarchy(nodes: Nodes, weights: Openness["weights"], hierarchy: Hierarchy): void {
  remembered.set(wiringOf(nodes), { weights, hierarchy });
}
