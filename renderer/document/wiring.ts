/**
 * Edges of a document, read off the nodes' input strings and remembered per state of the nodes. After an edit only what
 * it has changed is read.
 */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { atOnce, paused, type Sliced } from "../../worker-runtime/graph/slices.js";
import { roleOf } from "../../worker-runtime/graph/structural-ops.js";
import { LayeredMap, type LookUp } from "./layered-map.js";
import { parseInput } from "./tensor-names.js";

export interface Edge {
  /** Unique and stable while the wiring stays: consumer, then position in its input list. */
  readonly id: string;
  readonly from: string;
  /** Output number; -1 for a control edge. */
  readonly output: number;
  readonly to: string;
  /** Position in `NodeDef.input`. */
  readonly input: number;
}

export interface Wiring {
  /** In the order of the document. Collected when it is first asked for. */
  readonly edges: readonly Edge[];
  readonly incoming: LookUp<readonly Edge[]>;
  readonly outgoing: LookUp<readonly Edge[]>;
  /** How it came from the wiring of an earlier state; that of a still earlier one is forgotten. */
  readonly since: Rewiring | undefined;
}

/** The difference of two states of a wiring. */
export interface Rewiring {
  readonly before: Wiring;
  /** Names of nodes that have other inputs, or that came or went. */
  readonly rewired: ReadonlySet<string>;
  /** Edges that are no longer there, and new ones. */
  readonly went: readonly Edge[];
  readonly came: readonly Edge[];
}

type Nodes = ReadonlyMap<string, NodeDef>;

/** The wiring of an earlier state, and which nodes have other inputs since, or came or went. */
interface Outdated {
  readonly wiring: KnownWiring;
  readonly rewired: ReadonlySet<string>;
}

class KnownWiring implements Wiring {
  readonly incoming: LayeredMap<readonly Edge[]>;
  readonly outgoing: LayeredMap<readonly Edge[]>;
  /** Edges from producers that the graph lacks, by the name of the producer. */
  readonly dangling: LayeredMap<readonly Edge[]>;
  since: Rewiring | undefined;
  readonly nodes: Nodes;
  #edges: readonly Edge[] | undefined;

  constructor(
    nodes: Nodes,
    { incoming, outgoing, dangling }: Pick<KnownWiring, "incoming" | "outgoing" | "dangling">,
    since?: Rewiring,
  ) {
    this.nodes = nodes;
    this.incoming = incoming;
    this.outgoing = outgoing;
    this.dangling = dangling;
    this.since = since;
  }

  get edges(): readonly Edge[] {
    if (this.#edges) return this.#edges;
    const edges: Edge[] = [];
    for (const name of this.nodes.keys()) for (const edge of this.incoming.get(name) ?? []) edges.push(edge);
    this.#edges = edges;
    return edges;
  }
}

const remembered = new WeakMap<Nodes, KnownWiring>();
const outdated = new WeakMap<Nodes, Outdated>();
const rememberedEdges = new WeakMap<NodeDef, readonly Edge[]>();

/** Edges whose producer the graph lacks are left out; validation names them. */
export function wiringOf(nodes: Nodes): Wiring {
  return remembered.get(nodes) ?? atOnce(slicedWiring(nodes));
}

/** As `wiringOf`, in slices. */
export function* slicedWiring(nodes: Nodes): Sliced<Wiring> {
  const known = remembered.get(nodes);
  if (known) return known;
  const before = outdated.get(nodes);
  const wiring = before ? updated(before, nodes) : yield* wholeWiring(nodes);
  outdated.delete(nodes);
  remembered.set(nodes, wiring);
  return wiring;
}

function* wholeWiring(nodes: Nodes): Sliced<KnownWiring> {
  const incoming = new Map<string, Edge[]>();
  const outgoing = new Map<string, Edge[]>();
  const dangling = new Map<string, Edge[]>();
  yield* paused(nodes.values(), (node) => {
    for (const edge of edgesInto(node)) {
      if (!nodes.has(edge.from)) {
        push(dangling, edge.from, edge);
        continue;
      }
      push(incoming, edge.to, edge);
      push(outgoing, edge.from, edge);
    }
  });
  return new KnownWiring(nodes, {
    incoming: LayeredMap.of(incoming),
    outgoing: LayeredMap.of(outgoing),
    dangling: LayeredMap.of(dangling),
  });
}

/** Beyond this share of all nodes everything is read again, which is faster then. */
const MAX_REWIRED = 1 / 8;

/**
 * Determines what an edit has changed, so the new state's wiring is derived from the previous one. Pins and
 * attributes change nothing of it.
 *
 * @param rewired Names of nodes whose inputs are others now, and of nodes that came or went.
 */
export function followWiring(before: Nodes, after: Nodes, rewired: ReadonlySet<string>): void {
  const earlier = outdated.get(before);
  const wiring = earlier?.wiring ?? remembered.get(before);
  if (!wiring) return;
  const all = earlier ? new Set([...earlier.rewired, ...rewired]) : rewired;
  if (all.size === 0) remembered.set(after, wiring);
  else if (all.size <= MAX_REWIRED * after.size) outdated.set(after, { wiring, rewired: all });
}

function updated({ wiring, rewired }: Outdated, nodes: Nodes): KnownWiring {
  const consumers = new Set(rewired);
  // For a removed or added node, also those that name it.
  for (const name of rewired) {
    for (const { to } of wiring.outgoing.get(name) ?? []) consumers.add(to);
    for (const { to } of wiring.dangling.get(name) ?? []) consumers.add(to);
  }
  const incoming: [string, readonly Edge[] | undefined][] = [];
  const came: Edge[] = [];
  const named: Edge[] = [];
  for (const name of consumers) {
    const node = nodes.get(name);
    const edges = node ? edgesInto(node) : [];
    const found = edges.filter(({ from }) => nodes.has(from));
    incoming.push([name, unlessEmpty(found)]);
    came.push(...found);
    named.push(...edges);
  }
  const went = [...consumers].flatMap((name) => wiring.incoming.get(name) ?? []);
  const isOver = (edge: Edge) => consumers.has(edge.to);
  const added = new Map<string, Edge[]>();
  for (const edge of named) push(added, edge.from, edge);
  // The nodes that they named before, whether the graph had it or not.
  const former = [...consumers].flatMap((name) => {
    const node = wiring.nodes.get(name);
    return node ? edgesInto(node) : [];
  });
  const producers = new Set([...rewired, ...added.keys(), ...former.map(({ from }) => from)]);
  const changed = [...producers].map((name) => {
    const stayed = (wiring.outgoing.get(name) ?? wiring.dangling.get(name) ?? []).filter(
      (edge) => !isOver(edge),
    );
    return { name, edges: [...stayed, ...(added.get(name) ?? [])] };
  });
  const unordered = changed.filter(({ name, edges }) => added.has(name) && edges.length > 1);
  const indices = indicesOf(
    nodes,
    unordered.flatMap(({ edges }) => edges),
  );
  const index = ({ to }: Edge) => indices.get(to) ?? 0;
  for (const { edges } of unordered) {
    edges.sort((one, other) => index(one) - index(other) || one.input - other.input);
  }
  const known = changed.map(({ name, edges }) => ({
    name,
    edges: unlessEmpty(edges),
    isThere: nodes.has(name),
  }));
  const maps = {
    incoming: wiring.incoming.with(incoming),
    outgoing: wiring.outgoing.with(
      known.map(({ name, edges, isThere }) => [name, isThere ? edges : undefined]),
    ),
    dangling: wiring.dangling.with(
      known.map(({ name, edges, isThere }) => [name, isThere ? undefined : edges]),
    ),
  };
  // Each wiring would otherwise keep all those before it.
  wiring.since = undefined;
  return new KnownWiring(nodes, maps, { before: wiring, rewired, went, came });
}

function unlessEmpty(edges: readonly Edge[]): readonly Edge[] | undefined {
  return edges.length > 0 ? edges : undefined;
}

/** The indices in the document of the nodes that these edges lead to. */
function indicesOf(nodes: Nodes, edges: readonly Edge[]): ReadonlyMap<string, number> {
  const wanted = new Set(edges.map(({ to }) => to));
  const indices = new Map<string, number>();
  if (wanted.size === 0) return indices;
  let index = 0;
  for (const name of nodes.keys()) {
    if (wanted.has(name)) indices.set(name, index);
    index++;
  }
  return indices;
}

function edgesInto(node: NodeDef): readonly Edge[] {
  const known = rememberedEdges.get(node);
  if (known) return known;
  const edges: Edge[] = [];
  node.input.forEach((text, input) => {
    const reference = parseInput(text);
    if (reference.kind === "missing") return;
    const output = reference.kind === "control" ? -1 : reference.output;
    edges.push({ id: `${node.name} ${input}`, from: reference.node, output, to: node.name, input });
  });
  rememberedEdges.set(node, edges);
  return edges;
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

/** The edge with this id if it carries a tensor; undefined for control edges and for bundles of several. */
export function dataEdge(nodes: Nodes, id: string): Edge | undefined {
  const to = id.slice(0, id.lastIndexOf(" "));
  const edge = wiringOf(nodes)
    .incoming.get(to)
    ?.find((one) => one.id === id);
  return edge && edge.output >= 0 ? edge : undefined;
}

/** Names of `start` and of everything it depends on. */
export function ancestors(nodes: Nodes, start: Iterable<string>): Set<string> {
  const wiring = wiringOf(nodes);
  const seen = new Set<string>();
  const open = [...start];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name) || !nodes.has(name)) continue;
    seen.add(name);
    for (const edge of wiring.incoming.get(name) ?? []) open.push(edge.from);
  }
  return seen;
}

/** Whether an edge from `from` to `to` would close a circle without passing a loop op of TensorFlow. */
export function closesCircle(nodes: Nodes, from: string, to: string): boolean {
  const [source, target] = [nodes.get(from)?.op ?? "", nodes.get(to)?.op ?? ""];
  if (roleOf(target) === "merge" || roleOf(source) === "next-iteration") return false;
  if (lastAncestors?.nodes !== nodes || lastAncestors.from !== from) {
    lastAncestors = { nodes, from, names: ancestors(nodes, [from]) };
  }
  return lastAncestors.names.has(to);
}

/** While an edge is pulled, every port asks about the same producer. */
let lastAncestors: { readonly nodes: Nodes; readonly from: string; readonly names: Set<string> } | undefined;
