import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { parseEdge } from "./edge.js";
import { closesLoop } from "./structural-ops.js";

/** The nodes that use each node's outputs or wait for it, by name, in the graph's order. */
export function consumers(nodes: readonly NodeDef[]): Map<string, string[]> {
  const out = new Map<string, string[]>(nodes.map((node) => [node.name, []]));
  for (const node of nodes) {
    for (const source of new Set(node.input.map((input) => parseEdge(input).node))) {
      out.get(source)?.push(node.name);
    }
  }
  return out;
}

export interface TopologicalOrder {
  /** The nodes in an order in which each comes after its inputs; back edges of while loops do not count. */
  readonly order: readonly NodeDef[];
  /** Names of the nodes of one cycle that is not a while loop, in edge order; undefined if there is none. */
  readonly cycle: readonly string[] | undefined;
}

/**
 * Sorts nodes by their inputs. Missing inputs are ignored.
 * Nodes in a cycle, and those after it, come last, in the graph's order.
 */
export function topologicalOrder(nodes: readonly NodeDef[]): TopologicalOrder {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const sources = new Map<string, string[]>();
  for (const node of nodes) {
    const names = new Set(node.input.map((input) => parseEdge(input).node));
    sources.set(
      node.name,
      [...names].filter((name) => {
        const source = byName.get(name);
        return source !== undefined && !closesLoop(source.op, node.op);
      }),
    );
  }
  const waiting = new Map(nodes.map((node) => [node.name, sources.get(node.name)?.length ?? 0]));
  const behind = new Map<string, string[]>();
  for (const [name, names] of sources) {
    for (const source of names) {
      const list = behind.get(source);
      if (list) list.push(name);
      else behind.set(source, [name]);
    }
  }
  const order = nodes.filter((node) => waiting.get(node.name) === 0);
  for (let i = 0; i < order.length; i++) {
    for (const name of behind.get(order[i]?.name ?? "") ?? []) {
      const left = (waiting.get(name) ?? 0) - 1;
      waiting.set(name, left);
      const node = byName.get(name);
      if (left === 0 && node) order.push(node);
    }
  }
  if (order.length === nodes.length) return { order, cycle: undefined };
  const rest = nodes.filter((node) => (waiting.get(node.name) ?? 0) > 0);
  return { order: [...order, ...rest], cycle: findCycle(rest, sources) };
}

/** Follows inputs within a set of nodes that each have an input in it, until one repeats. */
function findCycle(nodes: readonly NodeDef[], sources: ReadonlyMap<string, readonly string[]>): string[] {
  const among = new Set(nodes.map((node) => node.name));
  const path: string[] = [];
  const positions = new Map<string, number>();
  let current = nodes[0]?.name;
  while (current !== undefined && !positions.has(current)) {
    positions.set(current, path.length);
    path.push(current);
    current = sources.get(current)?.find((source) => among.has(source));
  }
  return path.slice(positions.get(current ?? "") ?? 0).reverse();
}

/** The names of the nodes that the given ones need, including themselves: what a run with these fetches computes. */
export function ancestors(nodes: readonly NodeDef[], of: Iterable<string>): Set<string> {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const out = new Set<string>();
  const todo = [...of];
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    const node = byName.get(name);
    if (!node || out.has(name)) continue;
    out.add(name);
    todo.push(...node.input.map((input) => parseEdge(input).node));
  }
  return out;
}

/** A name scope: the nodes that share the part of their names before a "/". */
export interface ScopeNode {
  /** Last part of the name. */
  readonly label: string;
  /** Full name: "" for the whole graph, "tower/layer1". */
  readonly name: string;
  /** The node with exactly this name, if any: "w" besides "w/Assign". */
  readonly node: NodeDef | undefined;
  readonly children: readonly ScopeNode[];
  /** Number of nodes here and below. */
  readonly nodeCount: number;
}

interface GrowingScope {
  node: NodeDef | undefined;
  readonly children: Map<string, GrowingScope>;
}

/** The name scopes of a graph as a tree, children in the order in which they first occur. */
export function scopeTree(nodes: readonly NodeDef[]): ScopeNode {
  const root: GrowingScope = { node: undefined, children: new Map() };
  for (const node of nodes) {
    let scope = root;
    for (const part of node.name.split("/")) {
      let child = scope.children.get(part);
      if (!child) {
        child = { node: undefined, children: new Map() };
        scope.children.set(part, child);
      }
      scope = child;
    }
    scope.node = node;
  }
  return finish(root, "", "");
}

function finish(scope: GrowingScope, label: string, name: string): ScopeNode {
  const prefix = name === "" ? "" : `${name}/`;
  const children = [...scope.children].map(([part, child]) => finish(child, part, `${prefix}${part}`));
  const below = children.reduce((sum, child) => sum + child.nodeCount, 0);
  return { label, name, node: scope.node, children, nodeCount: below + (scope.node ? 1 : 0) };
}
