import { DataType } from "../../../../protos/generated/tensorflow/types.js";
import type { BoundNode } from "../executor/bind-kernel.js";
import type { NodeLinks } from "../executor/graph-links.js";

/** An output of a node. */
interface NodeOutput {
  readonly source: number;
  readonly output: number;
}

interface Nodes {
  readonly bound: readonly BoundNode[];
  readonly links: readonly NodeLinks[];
}

/**
 * The variables of a graph of which kernels read or change single rows, such as tables of embeddings. They stay on the
 * host, where such a kernel takes time for its rows and not for the whole variable.
 */
export class RowVariables {
  readonly #graph: Nodes;
  readonly #origins = new Set<string>();

  constructor(graph: Nodes) {
    this.#graph = graph;
    for (const [index, { node, facts }] of graph.bound.entries()) {
      if (facts.usesRows) {
        node.inputs.forEach(({ dtype, isRef }, input) => {
          const link = graph.links[index]?.data[input];
          if (link !== undefined && (isRef || dtype === DataType.DT_RESOURCE)) {
            this.#origins.add(this.#originOf(link));
          }
        });
      }
    }
  }

  /** Whether an output is the handle of one of them, or a reference to it. */
  has(place: NodeOutput): boolean {
    return this.#origins.size > 0 && this.#origins.has(this.#originOf(place));
  }

  /** Whether an output is the value of one of them, or what names it. */
  isValue(place: NodeOutput): boolean {
    if (this.#origins.size === 0) {
      return false;
    }
    for (let at = place; ; ) {
      if (this.has(at)) {
        return true;
      }
      const [from] = this.#graph.links[at.source]?.data ?? [];
      if (from === undefined || !this.passes(at.source)) {
        return false;
      }
      at = from;
    }
  }

  /** Whether the output of a node is its input, or the value of the variable that its input names. */
  passes(index: number): boolean {
    const { passesHandle, readsVariable } = this.#graph.bound[index]?.facts ?? {};
    return passesHandle === true || readsVariable === true;
  }

  /** The output of the node that names the variable: updates pass references on. */
  #originOf({ source, output }: NodeOutput): string {
    let at: NodeOutput = { source, output };
    for (;;) {
      const bound = this.#graph.bound[at.source];
      const [from] = this.#graph.links[at.source]?.data ?? [];
      const isPassed = bound?.node.inputs[0]?.isRef === true && bound.node.outputs[at.output]?.isRef === true;
      if (from === undefined || !isPassed) {
        return `${at.source}:${at.output}`;
      }
      at = from;
    }
  }
}
