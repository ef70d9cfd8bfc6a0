import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import { parseEdge } from "../../../graph/edge.js";
import { closesLoop } from "../../../graph/structural-ops.js";
import { invalidArgument } from "../../../protocol/status.js";
import { eachOf, mapped, NODES_PER_PAUSE, type PausingWork } from "../pauses.js";

/** The inputs of a node, with the numbers of nodes in place of their names. */
export interface NodeLinks {
  readonly data: readonly { readonly source: number; readonly output: number }[];
  /** Each once. */
  readonly control: readonly number[];
}

/** The nodes that a node waits for: once for each data input, and once for all control inputs from one node. */
export function sourcesOf({ data, control }: NodeLinks): readonly number[] {
  return [...data.map(({ source }) => source), ...control];
}

/** Cycles longer than this are not spelled out in full. */
const NODES_SHOWN_OF_A_CYCLE = 8;

/**
 * Resolves the inputs of all nodes.
 * @throws TensorFlowError INVALID_ARGUMENT for two nodes of one name, an input that no node has, and a data input behind
 *   a control input.
 */
export function* linkNodes(nodes: readonly NodeDef[]): PausingWork<readonly NodeLinks[]> {
  const numbers = new Map<string, number>();
  yield* eachOf(nodes, ({ name }, index) => {
    if (numbers.has(name)) {
      throw invalidArgument(`Node '${name}' is not unique.`);
    }
    numbers.set(name, index);
  });
  return yield* mapped(nodes, (node) => linksOf(node, numbers), NODES_PER_PAUSE);
}

function linksOf(node: NodeDef, numbers: ReadonlyMap<string, number>): NodeLinks {
  const data: { source: number; output: number }[] = [];
  const control = new Set<number>();
  for (const input of node.input) {
    const edge = parseEdge(input);
    const source = numbers.get(edge.node);
    if (source === undefined) {
      throw invalidArgument(`Node '${node.name}': Unknown input node '${input}'`);
    }
    if (edge.control) {
      control.add(source);
    } else if (control.size > 0) {
      throw invalidArgument(`Node '${node.name}': Control dependencies must come after regular dependencies`);
    } else {
      data.push({ source, output: edge.output });
    }
  }
  return { data, control: [...control] };
}

/**
 * An order in which every node comes after its inputs; the edge from a NextIteration to a Merge does not count.
 * @throws TensorFlowError INVALID_ARGUMENT for a cycle that is no such loop.
 */
export function* topologicalNumbers(
  nodes: readonly NodeDef[],
  links: readonly NodeLinks[],
): PausingWork<readonly number[]> {
  const waitsFor = new Int32Array(nodes.length);
  const behind: number[][] = nodes.map(() => []);
  const wait = (link: NodeLinks, index: number) => {
    const op = nodes[index]?.op ?? "";
    for (const source of sourcesOf(link)) {
      if (!closesLoop(nodes[source]?.op ?? "", op)) {
        behind[source]?.push(index);
        waitsFor[index] = (waitsFor[index] ?? 0) + 1;
      }
    }
  };
  yield* eachOf(links, wait, NODES_PER_PAUSE);
  const order: number[] = [];
  for (const [index, count] of waitsFor.entries()) {
    if (count === 0) {
      order.push(index);
    }
  }
  // Grows while it is walked.
  const release = (index: number) => {
    for (const next of behind[index] ?? []) {
      const left = (waitsFor[next] ?? 0) - 1;
      waitsFor[next] = left;
      if (left === 0) {
        order.push(next);
      }
    }
  };
  yield* eachOf(order, release, NODES_PER_PAUSE);
  if (order.length < nodes.length) {
    throw invalidArgument(cycleText(nodes, links, waitsFor));
  }
  return order;
}

/** Goes back along inputs that are still waited for until a node comes up again. */
function cycleText(nodes: readonly NodeDef[], links: readonly NodeLinks[], waitsFor: Int32Array): string {
  const places = new Map<number, number>();
  const path: number[] = [];
  let current = waitsFor.findIndex((count) => count > 0);
  while (current >= 0 && !places.has(current)) {
    places.set(current, path.length);
    path.push(current);
    const link = links[current];
    const sources = link === undefined ? [] : sourcesOf(link);
    current = sources.find((source) => (waitsFor[source] ?? 0) > 0) ?? -1;
  }
  const cycle = path.slice(places.get(current) ?? 0).reverse();
  const names = cycle.slice(0, NODES_SHOWN_OF_A_CYCLE).map((index) => nodes[index]?.name ?? "");
  const more = cycle.length > NODES_SHOWN_OF_A_CYCLE ? ", …" : "";
  return `Graph is invalid, contains a cycle with ${cycle.length} nodes, including: ${names.join(", ")}${more}`;
}
