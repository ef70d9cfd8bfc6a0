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
  /** Control inputs from nodes of regions, as the regions' outputs that stand for their ends. */
  readonly regionControl?: readonly { readonly source: number; readonly output: number }[];
}

/** In place of an output: the end of a node. */
export const NODE_END = -1;

/**
 * The inputs of all nodes of a graph: of node i those from `first[i]` to before `first[i + 1]`, first its data inputs, of
 * which there are `dataCount[i]`, then its control inputs.
 */
export interface GraphLinks {
  readonly first: Int32Array;
  readonly dataCount: Int32Array;
  /** By input: the number of the node that it comes from. */
  readonly source: Int32Array;
  /** By input: its output; of a control input NODE_END, or of a region the output that stands for the end of a node. */
  readonly output: Int32Array;
}

/** The numbers of the nodes that a node waits for: once for each data input, and once for all control inputs from one node. */
export function sourcesOf({ first, source }: GraphLinks, index: number): Int32Array {
  return source.subarray(first[index], first[index + 1]);
}

/** As objects, for what changes them: the regions. Without control inputs from regions, of which there are none yet. */
export function* linksOfNodes({ first, dataCount, source, output }: GraphLinks): PausingWork<NodeLinks[]> {
  return yield* mapped(
    dataCount,
    (count, index) => {
      const start = first[index] ?? 0;
      const data = Array.from({ length: count }, (_, i) => ({
        source: source[start + i] ?? 0,
        output: output[start + i] ?? 0,
      }));
      return { data, control: [...source.subarray(start + count, first[index + 1])] };
    },
    NODES_PER_PAUSE,
  );
}

/** As arrays of numbers, in which control inputs from regions come last. */
export function graphLinks(nodes: readonly NodeLinks[]): GraphLinks {
  const inputs = nodes.reduce(
    (sum, { data, control, regionControl }) =>
      sum + data.length + control.length + (regionControl?.length ?? 0),
    0,
  );
  const builder = new LinksBuilder(nodes.length, inputs);
  for (const { data, control, regionControl } of nodes) {
    for (const { source, output } of data) {
      builder.add(source, output);
    }
    builder.endData();
    for (const source of control) {
      builder.addControl(source);
    }
    for (const { source, output } of regionControl ?? []) {
      builder.add(source, output);
    }
    builder.endNode();
  }
  return builder.links();
}

class LinksBuilder {
  readonly #first: Int32Array;
  readonly #dataCount: Int32Array;
  readonly #sources: Int32Array;
  readonly #outputs: Int32Array;
  #inputs = 0;
  /** By node: 1 more than the last node that has a control input from it. */
  readonly #controlOf: Int32Array;
  #node = 0;

  /** @param inputs of all nodes together, at most. */
  constructor(nodes: number, inputs: number) {
    this.#sources = new Int32Array(inputs);
    this.#outputs = new Int32Array(inputs);
    this.#first = new Int32Array(nodes + 1);
    this.#dataCount = new Int32Array(nodes);
    this.#controlOf = new Int32Array(nodes);
  }

  add(source: number, output: number): void {
    this.#sources[this.#inputs] = source;
    this.#outputs[this.#inputs] = output;
    this.#inputs += 1;
  }

  /** Adds a control input, unless the node has it already. */
  addControl(source: number): void {
    if (this.#controlOf[source] !== this.#node + 1) {
      this.#controlOf[source] = this.#node + 1;
      this.add(source, NODE_END);
    }
  }

  /** The inputs of the node that follow are control inputs. */
  endData(): void {
    this.#dataCount[this.#node] = this.#inputs - (this.#first[this.#node] ?? 0);
  }

  endNode(): void {
    this.#node += 1;
    this.#first[this.#node] = this.#inputs;
  }

  links(): GraphLinks {
    return {
      first: this.#first,
      dataCount: this.#dataCount,
      source: this.#sources.subarray(0, this.#inputs),
      output: this.#outputs.subarray(0, this.#inputs),
    };
  }
}

/** Longer cycles are not printed in full. */
const NODES_SHOWN_OF_A_CYCLE = 8;

/**
 * Resolves the inputs of all nodes.
 * @throws TensorFlowError INVALID_ARGUMENT for two nodes with one name, an input from an unknown node, and a data input
 *   behind a control input.
 */
export function* linkNodes(nodes: readonly NodeDef[]): PausingWork<GraphLinks> {
  const numbers = new Map<string, number>();
  let inputs = 0;
  yield* eachOf(
    nodes,
    ({ name, input }, index) => {
      inputs += input.length;
      if (numbers.has(name)) {
        throw invalidArgument(`Node '${name}' is not unique.`);
      }
      numbers.set(name, index);
    },
    NODES_PER_PAUSE,
  );
  const builder = new LinksBuilder(nodes.length, inputs);
  yield* eachOf(nodes, (node) => addLinksOf(node, numbers, builder), NODES_PER_PAUSE);
  return builder.links();
}

function addLinksOf(node: NodeDef, numbers: ReadonlyMap<string, number>, builder: LinksBuilder): void {
  let isData = true;
  for (const input of node.input) {
    // Most inputs are no more than the name of a node. Names have no caret, and those of debug nodes alone have a colon.
    const isControl = input.startsWith("^");
    const named = numbers.get(isControl ? input.slice(1) : input);
    const edge = named === undefined ? parseEdge(input) : undefined;
    const source = edge === undefined ? named : numbers.get(edge.node);
    if (source === undefined) {
      throw invalidArgument(`Node '${node.name}': Unknown input node '${input}'`);
    }
    if (!isControl) {
      if (!isData) {
        throw invalidArgument(
          `Node '${node.name}': Control dependencies must come after regular dependencies`,
        );
      }
      builder.add(source, edge?.control === false ? edge.output : 0);
      continue;
    }
    if (isData) {
      isData = false;
      builder.endData();
    }
    builder.addControl(source);
  }
  if (isData) {
    builder.endData();
  }
  builder.endNode();
}

/**
 * An order in which every node comes after its inputs; the edge from a NextIteration to a Merge does not count.
 * @throws TensorFlowError INVALID_ARGUMENT for any other cycle.
 */
export function* topologicalNumbers(nodes: readonly NodeDef[], links: GraphLinks): PausingWork<Int32Array> {
  const { first, source: sources } = links;
  const count = nodes.length;
  const waitsFor = new Int32Array(count);
  // The nodes behind node i are those from firstBehind[i] to before firstBehind[i + 1]: first their number is counted.
  const firstBehind = new Int32Array(count + 1);
  const isBack = (source: number, { op }: NodeDef) => closesLoop(nodes[source]?.op ?? "", op);
  const wait = (node: NodeDef, index: number) => {
    const end = first[index + 1] ?? 0;
    for (let input = first[index] ?? 0; input < end; input += 1) {
      const source = sources[input] ?? 0;
      if (!isBack(source, node)) {
        firstBehind[source + 1] = (firstBehind[source + 1] ?? 0) + 1;
        waitsFor[index] = (waitsFor[index] ?? 0) + 1;
      }
    }
  };
  yield* eachOf(nodes, wait, NODES_PER_PAUSE);
  const order = new Int32Array(count);
  let length = 0;
  for (let index = 0; index < count; index += 1) {
    firstBehind[index + 1] = (firstBehind[index + 1] ?? 0) + (firstBehind[index] ?? 0);
    if (waitsFor[index] === 0) {
      order[length] = index;
      length += 1;
    }
  }
  const behind = new Int32Array(firstBehind[count] ?? 0);
  const next = firstBehind.slice();
  const follow = (node: NodeDef, index: number) => {
    const end = first[index + 1] ?? 0;
    for (let input = first[index] ?? 0; input < end; input += 1) {
      const source = sources[input] ?? 0;
      if (!isBack(source, node)) {
        behind[next[source] ?? 0] = index;
        next[source] = (next[source] ?? 0) + 1;
      }
    }
  };
  yield* eachOf(nodes, follow, NODES_PER_PAUSE);
  // Grows during the iteration.
  for (let at = 0; at < length; at += 1) {
    const source = order[at] ?? 0;
    const end = firstBehind[source + 1] ?? 0;
    for (let place = firstBehind[source] ?? 0; place < end; place += 1) {
      const target = behind[place] ?? 0;
      const left = (waitsFor[target] ?? 0) - 1;
      waitsFor[target] = left;
      if (left === 0) {
        order[length] = target;
        length += 1;
      }
    }
    if ((at + 1) % NODES_PER_PAUSE === 0) {
      yield;
    }
  }
  if (length < count) {
    throw invalidArgument(cycleText(nodes, links, waitsFor));
  }
  return order;
}

/** Whether every node comes after its inputs already, as our own masters send those of graphs without loops. */
export function isInOrder({ first, source }: GraphLinks): boolean {
  let node = 0;
  for (let input = 0; input < source.length; input += 1) {
    while ((first[node + 1] ?? 0) <= input) {
      node += 1;
    }
    if ((source[input] ?? 0) >= node) {
      return false;
    }
  }
  return true;
}

/** Follows missing inputs backwards until a node repeats. */
function cycleText(nodes: readonly NodeDef[], links: GraphLinks, waitsFor: Int32Array): string {
  const positions = new Map<number, number>();
  const path: number[] = [];
  let current = waitsFor.findIndex((count) => count > 0);
  while (current >= 0 && !positions.has(current)) {
    positions.set(current, path.length);
    path.push(current);
    current = sourcesOf(links, current).find((source) => (waitsFor[source] ?? 0) > 0) ?? -1;
  }
  const cycle = path.slice(positions.get(current) ?? 0).reverse();
  const names = cycle.slice(0, NODES_SHOWN_OF_A_CYCLE).map((index) => nodes[index]?.name ?? "");
  const more = cycle.length > NODES_SHOWN_OF_A_CYCLE ? ", …" : "";
  return `Graph is invalid, contains a cycle with ${cycle.length} nodes, including: ${names.join(", ")}${more}`;
}
