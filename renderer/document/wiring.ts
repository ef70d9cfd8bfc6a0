/**
 * Edges of a document, read off the nodes' input strings and remembered per state of the nodes. After an edit only what
 * it has changed is read.
 */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { atOnce, paused, type Sliced } from "../../worker-runtime/graph/slices.js";
import { roleOf } from "../../worker-runtime/graph/structural-ops.js";
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
  readonly edges: readonly Edge[];
  readonly incoming: ReadonlyMap<string, readonly Edge[]>;
  readonly outgoing: ReadonlyMap<string, readonly Edge[]>;
}

type Nodes = ReadonlyMap<string, NodeDef>;

/** The wiring of an earlier state, and which nodes have other inputs since, or came or went. */
interface Outdated {
  readonly wiring: KnownWiring;
  readonly rewired: ReadonlySet<string>;
}

interface KnownWiring extends Wiring {
  /** Edges from producers that the graph lacks, by the name of the producer. */
  readonly dangling: ReadonlyMap<string, readonly Edge[]>;
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
  const edges: Edge[] = [];
  const incoming = new Map<string, Edge[]>();
  const outgoing = new Map<string, Edge[]>();
  const dangling = new Map<string, Edge[]>();
  yield* paused(nodes.values(), (node) => {
    for (const edge of edgesInto(node)) {
      if (!nodes.has(edge.from)) {
        push(dangling, edge.from, edge);
        continue;
      }
      edges.push(edge);
      push(incoming, edge.to, edge);
      push(outgoing, edge.from, edge);
    }
  });
  return { edges, incoming, outgoing, dangling };
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
  const incoming = new Map(wiring.incoming);
  const came = [...consumers].flatMap((name) => {
    const node = nodes.get(name);
    const edges = node ? edgesInto(node) : [];
    const found = edges.filter(({ from }) => nodes.has(from));
    setOrDelete(incoming, name, found);
    return edges;
  });
  const went = [...consumers].flatMap((name) => wiring.incoming.get(name) ?? []);
  const isOver = (edge: Edge) => consumers.has(edge.to);
  const outgoing = new Map(wiring.outgoing);
  const dangling = new Map(
    [...wiring.dangling].map(([name, edges]) => [name, edges.filter((edge) => !isOver(edge))]),
  );
  const added = new Map<string, Edge[]>();
  for (const edge of came) push(added, edge.from, edge);
  const producers = new Set([...rewired, ...added.keys(), ...went.map(({ from }) => from)]);
  const changed = [...producers].map((name) => {
    const stayed = (wiring.outgoing.get(name) ?? dangling.get(name) ?? []).filter((edge) => !isOver(edge));
    return { name, edges: [...stayed, ...(added.get(name) ?? [])] };
  });
  const indices = indicesOf(
    nodes,
    changed.flatMap(({ edges }) => edges),
  );
  const index = ({ to }: Edge) => indices.get(to) ?? 0;
  for (const { name, edges } of changed) {
    edges.sort((one, other) => index(one) - index(other) || one.input - other.input);
    setOrDelete(outgoing, name, nodes.has(name) ? edges : []);
    setOrDelete(dangling, name, nodes.has(name) ? [] : edges);
  }
  const edges: Edge[] = [];
  for (const name of nodes.keys()) for (const edge of incoming.get(name) ?? []) edges.push(edge);
  return { edges, incoming, outgoing, dangling };
}

/** The indices in the document of the nodes that these edges lead to. */
function indicesOf(nodes: Nodes, edges: readonly Edge[]): ReadonlyMap<string, number> {
  const wanted = new Set(edges.map(({ to }) => to));
  const indices = new Map<string, number>();
  let index = 0;
  for (const name of nodes.keys()) {
    if (wanted.has(name)) indices.set(name, index);
    index++;
  }
  return indices;
}

function setOrDelete(map: Map<string, readonly Edge[]>, name: string, edges: readonly Edge[]): void {
  if (edges.length > 0) map.set(name, edges);
  else map.delete(name);
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
