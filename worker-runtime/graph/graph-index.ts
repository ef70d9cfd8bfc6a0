/** The nodes of a graph and their connections in both directions, computed once for each state of the nodes. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { atOnce, paused, type Sliced } from "./slices.js";

/** A node by name, and the index of its output: -1 for a control edge. */
export interface EdgeEnd {
  readonly node: string;
  readonly output: number;
}

export interface GraphIndex {
  readonly nodes: ReadonlyMap<string, NodeDef>;
  /** The nodes that each node reads and waits for, in the order of its inputs, without inputs that the graph lacks. */
  readonly sources: ReadonlyMap<string, readonly EdgeEnd[]>;
  /** The readers of each node and those that wait for it; `output` is the output they read. */
  readonly readers: ReadonlyMap<string, readonly EdgeEnd[]>;
}

const NONE: readonly EdgeEnd[] = [];
const remembered = new WeakMap<ReadonlyMap<string, NodeDef>, GraphIndex>();

/** @param nodes by name; must not change later */
export function indexOf(nodes: ReadonlyMap<string, NodeDef>): GraphIndex {
  return atOnce(slicedIndex(nodes));
}

/** As `indexOf`, in slices. */
export function* slicedIndex(nodes: ReadonlyMap<string, NodeDef>): Sliced<GraphIndex> {
  const known = remembered.get(nodes);
  if (known) return known;
  const sources = new Map<string, EdgeEnd[]>();
  const readers = new Map<string, EdgeEnd[]>();
  yield* paused(nodes.values(), ({ name, input }) => {
    const ends: EdgeEnd[] = [];
    for (const text of input) {
      const end = endOf(text);
      if (!nodes.has(end.node)) continue;
      ends.push(end);
      const list = readers.get(end.node);
      const reader = { node: name, output: end.output };
      if (list) list.push(reader);
      else readers.set(end.node, [reader]);
    }
    sources.set(name, ends);
  });
  const index = { nodes, sources, readers };
  remembered.set(nodes, index);
  return index;
}

/** Like parseEdge, but treats an invalid name as a node that no graph has: an unconnected input on the canvas. */
function endOf(text: string): EdgeEnd {
  if (text.startsWith("^")) return { node: text.slice(1), output: -1 };
  const number = /:(\d+)$/.exec(text)?.[1];
  if (number === undefined) return { node: text, output: 0 };
  return { node: text.slice(0, -number.length - 1), output: Number(number) };
}

export function sourcesOf(index: GraphIndex, name: string): readonly EdgeEnd[] {
  return index.sources.get(name) ?? NONE;
}

export function readersOf(index: GraphIndex, name: string): readonly EdgeEnd[] {
  return index.readers.get(name) ?? NONE;
}

/**
 * The nodes that must run for the given ones, including themselves.
 * @param fed names of tensors, "x:0", that already have a value: nodes that only they need do not run
 */
export function neededFor(
  index: GraphIndex,
  roots: Iterable<string>,
  fed: { readonly size: number; has(tensor: string): boolean } = new Set<string>(),
): Set<string> {
  const needed = new Set<string>();
  const open = [...roots];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (needed.has(name) || !index.nodes.has(name)) continue;
    needed.add(name);
    for (const { node, output } of sourcesOf(index, name)) {
      if (output < 0 || fed.size === 0 || !fed.has(`${node}:${output}`)) open.push(node);
    }
  }
  return needed;
}

/** The nodes that depend on the given ones, including themselves. */
export function dependentsOf(
  index: GraphIndex,
  roots: Iterable<string>,
  { throughControl }: { readonly throughControl: boolean },
): Set<string> {
  const found = new Set<string>();
  const open = [...roots];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    for (const { node, output } of readersOf(index, name)) {
      if (throughControl || output >= 0) open.push(node);
    }
  }
  return found;
}
