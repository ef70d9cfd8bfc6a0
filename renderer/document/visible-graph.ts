/**
 * The drawn parts of a graph: nodes, closed scopes as boxes and open ones as frames, and the edges between them. Edges of
 * what is in a box are bundled, one per pair of ends. Pure.
 */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { atOnce, type Sliced } from "../../worker-runtime/graph/slices.js";
import { protoShapeText } from "./attr-text.js";
import type { OpenScopes } from "./open-scopes.js";
import { chainFrom, isRoot, type Scope, type ScopeTree, scopeTree } from "./scope-tree.js";
import { bundled, rebundled, type ShownAs, type VisibleEdges } from "./visible-edges.js";
import { type Weights, weightsOf } from "./weights.js";
import { type Rewiring, slicedWiring } from "./wiring.js";

type Nodes = ReadonlyMap<string, NodeDef>;

/** The open and closed scopes. State of the window, never of the document. */
export interface Openness {
  /** The whole graph is always open. */
  readonly scopes: OpenScopes;
  /** Nodes whose parameters are drawn as nodes. */
  readonly weights: ReadonlySet<string> | "all";
}

/** The nodes of a graph in their scopes. */
export interface Hierarchy {
  readonly weights: Weights;
  readonly tree: ScopeTree;
  /** False for parameters, which are drawn at the nodes that use them. */
  isShown(name: string): boolean;
  /** Whether it was only adapted to the newest edits (hierarchy-patch.ts). */
  readonly isPatched: boolean;
  /** The same for a hierarchy and all that were patched from it. */
  readonly family: object;
}

export type VisibleItem =
  | { readonly kind: "node"; readonly id: string; readonly scope: Scope }
  /** A closed scope. */
  | { readonly kind: "box"; readonly id: string; readonly scope: Scope }
  /** An open scope, around what is in it. */
  | { readonly kind: "frame"; readonly id: string; readonly scope: Scope };

export interface VisibleGraph {
  readonly hierarchy: Hierarchy;
  /** A frame comes before what it contains. */
  readonly items: readonly VisibleItem[];
  readonly edges: VisibleEdges;
  /** The node or the box that shows a node of the graph. Parameters are shown by the node that uses them. */
  itemOf(name: string): string | undefined;
  /** The same, but undefined for parameters that are not drawn. */
  readonly shownAs: ShownAs;
  /** The closed scope that stands for what is in a scope, by their ids; undefined for an open one in open ones. */
  readonly boxes: ReadonlyMap<string, string>;
}

/** The structure of a node: compared to find blocks that are alike. */
function structureText(nodes: Nodes, { parameters }: Weights): (node: NodeDef) => string {
  return (node) => {
    const shapes = (parameters.get(node.name) ?? []).map(({ name }) => parameterShape(nodes.get(name)));
    return shapes.length === 0
      ? `${node.op}@${node.device}`
      : `${node.op}@${node.device} ${shapes.join(" ")}`;
  };
}

/** "[3,3,16,32]" of a constant or a variable; "" where that is not known. */
export function parameterShape(node: NodeDef | undefined): string {
  const value = node?.attr.get("value")?.value;
  if (value?.$case === "tensor") return protoShapeText(value.value.tensorShape);
  const shape = node?.attr.get("shape")?.value;
  return shape?.$case === "shape" ? protoShapeText(shape.value) : "";
}

export function* hierarchyOf(nodes: Nodes, openWeights: Openness["weights"]): Sliced<Hierarchy> {
  const wiring = yield* slicedWiring(nodes);
  const weights = yield* weightsOf(nodes, wiring);
  const isShown = (name: string): boolean => {
    const owners = weights.owners.get(name);
    if (owners === undefined || openWeights === "all") return true;
    if (openWeights.size === 0) return false;
    for (const owner of owners) if (openWeights.has(owner)) return true;
    return false;
  };
  const tree = yield* scopeTree(nodes, wiring, { isShown, structureOf: structureText(nodes, weights) });
  return { weights, tree, isShown, isPatched: false, family: {} };
}

/** As `slicedVisibleGraph`, in one piece. */
export function visibleGraph(nodes: Nodes, hierarchy: Hierarchy, open: Openness["scopes"]): VisibleGraph {
  return atOnce(slicedVisibleGraph(nodes, hierarchy, open));
}

export function* slicedVisibleGraph(
  nodes: Nodes,
  hierarchy: Hierarchy,
  open: Openness["scopes"],
): Sliced<VisibleGraph> {
  const items = itemsOf(hierarchy, open);
  const boxes = yield* slicedBoxes(items);
  const shownAs = shownIn(hierarchy, boxes);
  const { edges } = yield* slicedWiring(nodes);
  return visibleOf(hierarchy, items, yield* bundled(edges, shownAs), boxes);
}

/**
 * The graph after an edit, from the one before it.
 *
 * @param hierarchy that of `before`, patched for the edit
 */
export function visibleAfter(
  before: VisibleGraph,
  hierarchy: Hierarchy,
  open: Openness["scopes"],
  change: Pick<Rewiring, "went" | "came">,
): VisibleGraph {
  // A patch adds no scopes, so those that were in boxes still are.
  const { boxes } = before;
  const items = before.hierarchy.tree === hierarchy.tree ? before.items : itemsOf(hierarchy, open);
  const edges = rebundled(before.edges, change, before.shownAs, shownIn(hierarchy, boxes));
  return visibleOf(hierarchy, items, edges, boxes);
}

function shownIn({ tree, isShown }: Hierarchy, boxes: VisibleGraph["boxes"]): ShownAs {
  return (name) => {
    const scope = isShown(name) ? tree.scopeIds.get(name) : undefined;
    return scope === undefined ? undefined : (boxes.get(scope) ?? name);
  };
}

function visibleOf(
  hierarchy: Hierarchy,
  items: readonly VisibleItem[],
  edges: VisibleEdges,
  boxes: VisibleGraph["boxes"],
): VisibleGraph {
  const shownAs = shownIn(hierarchy, boxes);
  return {
    hierarchy,
    items,
    edges,
    shownAs,
    boxes,
    itemOf: (name) => {
      const own = shownAs(name);
      if (own !== undefined) return own;
      const [owner] = hierarchy.weights.owners.get(name) ?? [];
      return owner === undefined ? undefined : shownAs(owner);
    },
  };
}

/** The drawn items besides edges. */
export function itemsOf({ tree }: Hierarchy, open: Openness["scopes"]): readonly VisibleItem[] {
  const items: VisibleItem[] = [];
  const visit = (scope: Scope) => {
    for (const child of scope.children) {
      if (typeof child === "string") {
        items.push({ kind: "node", id: child, scope });
      } else if (open.has(child.id)) {
        items.push({ kind: "frame", id: child.id, scope: child });
        visit(child);
      } else items.push({ kind: "box", id: child.id, scope: child });
    }
  };
  visit(tree.root);
  return items;
}

function* slicedBoxes(items: readonly VisibleItem[]): Sliced<VisibleGraph["boxes"]> {
  const boxes = new Map<string, string>();
  function* close(scope: Scope, box: string): Sliced<void> {
    boxes.set(scope.id, box);
    for (const child of scope.children) if (typeof child !== "string") yield* close(child, box);
    yield;
  }
  for (const { kind, scope } of items) if (kind === "box") yield* close(scope, scope.id);
  return boxes;
}

const inScopes = new WeakMap<Scope, readonly string[]>();

/** Everything that is in a scope, as it is in the document: folded parameters too. */
export function nodesInScope(scope: Scope, hierarchy: Hierarchy): readonly string[] {
  return inScopes.get(scope) ?? atOnce(slicedNodesInScope(scope, hierarchy));
}

/** As `nodesInScope`, in slices. */
export function* slicedNodesInScope(
  scope: Scope,
  { weights, isShown }: Hierarchy,
): Sliced<readonly string[]> {
  const known = inScopes.get(scope);
  if (known) return known;
  const names = new Set<string>();
  function* visit(inner: Scope): Sliced<void> {
    for (const child of inner.children) {
      if (typeof child !== "string") {
        yield* visit(child);
        continue;
      }
      names.add(child);
      // A parameter that is drawn as a node is in the scope where it is drawn.
      for (const folded of weights.folded.get(child) ?? []) if (!isShown(folded)) names.add(folded);
    }
    yield;
  }
  yield* visit(scope);
  const all = [...names];
  inScopes.set(scope, all);
  return all;
}

/** A scope and those around it, from the outermost on; without the whole graph. */
export function scopesAround(tree: ScopeTree, scope: Scope | undefined): Scope[] {
  return chainFrom(tree, scope)
    .filter((one) => !isRoot(one))
    .reverse();
}

/** At first, scopes are opened until so many names can be read, and not beyond what fits a window. */
export const ENOUGH_NAMES = 20;
const MOST_NAMES = 60;

/**
 * The scopes that are open when a graph is opened: the largest, until there is enough to be read. In the order in which
 * they are opened; the first of them alone are the choice where all do not fit.
 */
export function firstOpen({ tree }: Hierarchy): readonly string[] {
  const open: string[] = [];
  let count = tree.root.children.length;
  const candidates = scopesIn(tree.root);
  while (count < ENOUGH_NAMES) {
    const next = candidates
      .filter(({ children }) => count - 1 + children.length <= MOST_NAMES)
      .reduce<Scope | undefined>((best, one) => (best && best.size >= one.size ? best : one), undefined);
    if (!next) break;
    open.push(next.id);
    count += next.children.length - 1;
    candidates.splice(candidates.indexOf(next), 1);
    candidates.push(...scopesIn(next));
  }
  return open;
}

/** The closed scopes of a drawing, those that need the least space when they are opened first. */
export function smallestClosed({ items }: VisibleGraph): readonly Scope[] {
  const closed = items.flatMap((item) => (item.kind === "box" ? [item.scope] : []));
  return closed.sort((one, other) => one.children.length - other.children.length);
}

function scopesIn({ children }: Scope): Scope[] {
  return children.filter((child) => typeof child !== "string");
}
