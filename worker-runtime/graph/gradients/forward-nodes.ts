/** Which nodes of a graph belong to its forward computation, where gradients of the same graph need its results. */
import type { Graph } from "../graph.js";
import type { Operation, Output } from "../operation.js";

/** Nodes that gradients added to the forward computation: what keeps the intermediate results of loops. */
const additions = new WeakMap<Graph, Set<Operation>>();

/** Adds nodes to the forward computation, apart from all scopes. */
export function addForward<T>(graph: Graph, body: () => T): T {
  const before = graph.size;
  const made = graph.withControlDependencies(undefined, () => graph.withDevice(undefined, body));
  const known = additions.get(graph) ?? new Set();
  for (const op of graph.operations.slice(before)) known.add(op);
  additions.set(graph, known);
  return made;
}

/** The nodes that gradients added to the forward computation of a graph, in their order. */
export function addedForward(graph: Graph): readonly Operation[] {
  return [...(additions.get(graph) ?? [])];
}

/** The backward part of a graph in which the gradients of its results were made. */
export interface Cut {
  readonly nodes: readonly Operation[];
  /** The tensors of the forward part that the backward part reads, other than constants, which it has itself. */
  readonly crossing: readonly Output[];
}

/**
 * Cuts a graph between its forward computation and what was made after it.
 * @param forward the nodes before gradients were made; what they added to the forward computation counts as well
 * @param given tensors that the backward part is called with
 */
export function cutBackward(
  graph: Graph,
  forward: ReadonlySet<Operation>,
  results: readonly Output[],
  given: readonly Output[],
): Cut {
  const isForward = new Set([...forward, ...addedForward(graph)]);
  const isGiven = new Set(given);
  const nodes = new Set<Operation>();
  const crossing = new Set<Output>();
  const open = [...results];
  for (let tensor = open.pop(); tensor; tensor = open.pop()) {
    const { op } = tensor;
    if (isGiven.has(tensor) || nodes.has(op)) continue;
    if (isForward.has(op) && op.type !== "Const") {
      crossing.add(tensor);
      continue;
    }
    nodes.add(op);
    open.push(...op.inputs);
  }
  return { nodes: graph.operations.filter((op) => nodes.has(op)), crossing: [...crossing] };
}
