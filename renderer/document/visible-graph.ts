/**
 * What is drawn of a graph: nodes, closed scopes as boxes and open ones as frames, and the edges between them. Edges of
 * what is in a box are bundled, one per pair of ends. Pure.
 */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { atOnce, paused, type Sliced } from "../../worker-runtime/graph/slices.js";
import { protoShapeText } from "./attr-text.js";
import { type Scope, type ScopeTree, scopeTree } from "./scope-tree.js";
import { type Weights, weightsOf } from "./weights.js";
import { type Edge, slicedWiring, type Wiring } from "./wiring.js";

type Nodes = ReadonlyMap<string, NodeDef>;

/** What is open and what is closed. State of the window, never of the document. */
export interface Openness {
  /** Ids of open scopes. The whole graph is always open. */
  readonly scopes: ReadonlySet<string>;
  /** Nodes whose parameters are drawn as nodes. */
  readonly weights: ReadonlySet<string> | "all";
}

/** The nodes of a graph in their scopes. */
export interface Hierarchy {
  readonly weights: Weights;
  readonly tree: ScopeTree;
  /** False for parameters, which are drawn at the nodes that use them. */
  isShown(name: string): boolean;
}

export type VisibleItem =
  | { readonly kind: "node"; readonly id: string; readonly scope: Scope }
  /** A closed scope. */
  | { readonly kind: "box"; readonly id: string; readonly scope: Scope }
  /** An open scope, around what is in it. */
  | { readonly kind: "frame"; readonly id: string; readonly scope: Scope };

/**
 * An edge of the drawing: from an output to an input, or to or from a box, which has one of each. Its output is -1 where it
 * ends at the control port of a node.
 */
export interface VisibleEdge extends Edge {
  /** What it stands for; at least one. */
  readonly wires: readonly Edge[];
}

export interface VisibleGraph {
  readonly hierarchy: Hierarchy;
  /** A frame comes before what it contains. */
  readonly items: readonly VisibleItem[];
  readonly edges: readonly VisibleEdge[];
  /** The node or the box that shows a node of the graph. */
  itemOf(name: string): string | undefined;
}

/** The output and input of a box. */
const BOX_PORT = 0;

/** Of what a node is built: compared to find blocks that are alike. */
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
  return { weights, tree, isShown };
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
  const { items, boxes } = yield* slicedItems(hierarchy, open);
  const shownAs = (name: string): string | undefined => {
    const scope = hierarchy.tree.scopeOf.get(name);
    return scope && (boxes.get(scope) ?? name);
  };
  return {
    hierarchy,
    items,
    edges: yield* bundled(yield* slicedWiring(nodes), hierarchy, shownAs),
    itemOf: (name) => {
      const own = shownAs(name);
      if (own !== undefined) return own;
      const [owner] = hierarchy.weights.owners.get(name) ?? [];
      return owner === undefined ? undefined : shownAs(owner);
    },
  };
}

interface VisibleItems {
  readonly items: readonly VisibleItem[];
  /** The closed scope that stands for what is in a scope; undefined for an open one in open ones. */
  readonly boxes: ReadonlyMap<Scope, string>;
}

/** What is drawn besides edges. */
export function* slicedItems(hierarchy: Hierarchy, open: Openness["scopes"]): Sliced<VisibleItems> {
  const items: VisibleItem[] = [];
  const boxes = new Map<Scope, string>();
  function* close(scope: Scope, box: string): Sliced<void> {
    boxes.set(scope, box);
    for (const child of scope.children) if (typeof child !== "string") yield* close(child, box);
    yield;
  }
  function* visit(scope: Scope): Sliced<void> {
    for (const child of scope.children) {
      if (typeof child === "string") {
        items.push({ kind: "node", id: child, scope });
      } else if (open.has(child.id)) {
        items.push({ kind: "frame", id: child.id, scope: child });
        yield* visit(child);
      } else {
        items.push({ kind: "box", id: child.id, scope: child });
        yield* close(child, child.id);
      }
    }
  }
  yield* visit(hierarchy.tree.root);
  return { items, boxes };
}

function* bundled(
  wiring: Wiring,
  { isShown }: Hierarchy,
  shownAs: (name: string) => string | undefined,
): Sliced<VisibleEdge[]> {
  const edges: VisibleEdge[] = [];
  const bundles = new Map<string, { readonly edge: VisibleEdge; readonly wires: Edge[] }>();
  yield* paused(wiring.edges, (wire) => {
    const from = isShown(wire.from) ? shownAs(wire.from) : undefined;
    const to = isShown(wire.to) ? shownAs(wire.to) : undefined;
    if (from === undefined || to === undefined) return;
    const fromNode = from === wire.from;
    const toNode = to === wire.to;
    if (fromNode && toNode) {
      edges.push({ ...wire, wires: [wire] });
      return;
    }
    if (from === to) return;
    // Between boxes a control edge is one of the bundle; at a node it has a port of its own.
    const output = fromNode || (toNode && wire.output < 0) ? wire.output : BOX_PORT;
    const input = toNode ? wire.input : BOX_PORT;
    const key = `${from} ${output}>${to} ${output < 0 ? "control" : input}`;
    const bundle = bundles.get(key);
    if (bundle) {
      bundle.wires.push(wire);
      return;
    }
    const wires = [wire];
    const edge: VisibleEdge = { id: key, from, output, to, input, wires };
    bundles.set(key, { edge, wires });
    edges.push(edge);
  });
  return edges;
}

const inScopes = new WeakMap<Scope, readonly string[]>();

/** Everything that is in a scope, as it is in the document: folded parameters too. */
export function nodesInScope(scope: Scope, { weights }: Hierarchy): readonly string[] {
  const known = inScopes.get(scope);
  if (known) return known;
  const names = new Set<string>();
  const visit = (inner: Scope) => {
    for (const child of inner.children) {
      if (typeof child !== "string") {
        visit(child);
        continue;
      }
      names.add(child);
      for (const folded of weights.folded.get(child) ?? []) names.add(folded);
    }
  };
  visit(scope);
  const all = [...names];
  inScopes.set(scope, all);
  return all;
}

/** The scopes around a node, from the outermost on; without the whole graph. */
export function scopesAround(scope: Scope | undefined): Scope[] {
  const path: Scope[] = [];
  for (let one = scope; one?.parent; one = one.parent) path.unshift(one);
  return path;
}

/** At first, scopes are opened until so many names can be read, and not beyond what fits a window. */
const ENOUGH_NAMES = 20;
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

function scopesIn({ children }: Scope): Scope[] {
  return children.filter((child) => typeof child !== "string");
}
