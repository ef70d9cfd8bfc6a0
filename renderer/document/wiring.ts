/** Edges of a document, read off the nodes' input strings and remembered per state of the nodes. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
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

const remembered = new WeakMap<ReadonlyMap<string, NodeDef>, Wiring>();
const rememberedEdges = new WeakMap<NodeDef, readonly Edge[]>();

/** Edges whose producer the graph lacks are left out; validation names them. */
export function wiringOf(nodes: ReadonlyMap<string, NodeDef>): Wiring {
  const known = remembered.get(nodes);
  if (known) return known;
  const edges: Edge[] = [];
  const incoming = new Map<string, Edge[]>();
  const outgoing = new Map<string, Edge[]>();
  for (const node of nodes.values()) {
    for (const edge of edgesInto(node)) {
      if (!nodes.has(edge.from)) continue;
      edges.push(edge);
      push(incoming, edge.to, edge);
      push(outgoing, edge.from, edge);
    }
  }
  const wiring = { edges, incoming, outgoing };
  remembered.set(nodes, wiring);
  return wiring;
}

/**
 * Lets a new state of the nodes have the wiring of the one before where an edit changed no input and no name: pins and
 * attributes then cost nothing here.
 */
export function keepWiring(before: ReadonlyMap<string, NodeDef>, after: ReadonlyMap<string, NodeDef>): void {
  const known = remembered.get(before);
  if (known) remembered.set(after, known);
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
export function ancestors(nodes: ReadonlyMap<string, NodeDef>, start: Iterable<string>): Set<string> {
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
export function closesCircle(nodes: ReadonlyMap<string, NodeDef>, from: string, to: string): boolean {
  const [source, target] = [nodes.get(from)?.op ?? "", nodes.get(to)?.op ?? ""];
  if (roleOf(target) === "merge" || roleOf(source) === "next-iteration") return false;
  if (lastAncestors?.nodes !== nodes || lastAncestors.from !== from) {
    lastAncestors = { nodes, from, names: ancestors(nodes, [from]) };
  }
  return lastAncestors.names.has(to);
}

/** While an edge is pulled, every port asks about the same producer. */
let lastAncestors:
  | { readonly nodes: ReadonlyMap<string, NodeDef>; readonly from: string; readonly names: Set<string> }
  | undefined;
