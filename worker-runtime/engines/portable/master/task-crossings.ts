import type { AttrValue } from "../../../../protos/generated/tensorflow/attr_value.js";
import { structureOf } from "../../../graph/structural-ops.js";
import type { KernelRegistry } from "../kernels/registry.js";
import { CROSSINGS_ATTR, waitsForInputsAlone } from "../regions/waiting-ops.js";
import type { GraphNode } from "./graph-node.js";

/**
 * How many times the values of a step go from task to task. A worker puts nodes together that wait for values with equal
 * numbers: none of these can depend on what such nodes give, since a way out of the task and back adds two.
 *
 * The number of a node is only known where nothing before it waits for anything else than its inputs, such as a queue, which
 * may be filled by any node of the step; nor is it in loops, nor where feeds come one after another.
 */
export class TaskCrossings {
  readonly #known = new Map<string, number>();
  readonly #kernels: KernelRegistry;
  readonly #isPartial: boolean;

  /** @param isPartial of a partial run: feeds come when the client likes. */
  constructor(kernels: KernelRegistry, isPartial: boolean) {
    this.#kernels = kernels;
    this.#isPartial = isPartial;
  }

  /** To be told of each node after those that it depends on. @param crosses whether an edge from a node leads to another task. */
  add(node: GraphNode, crosses: (source: string) => boolean): void {
    if (!this.#isReady(node)) {
      return;
    }
    let most = 0;
    for (const source of [...node.inputs.map((input) => input.node), ...node.controls]) {
      const before = this.#known.get(source);
      if (before === undefined) {
        return;
      }
      most = Math.max(most, before + Number(crosses(source)));
    }
    this.#known.set(node.name, most);
  }

  /** The attributes that say it on a Recv of the node's output, in another task or, for a feed, of the node itself. */
  attrs(node: string, isElsewhere: boolean): [string, AttrValue][] {
    const known = this.#known.get(node);
    return known === undefined
      ? []
      : [[CROSSINGS_ATTR, { value: { $case: "i", value: BigInt(known + Number(isElsewhere)) } }]];
  }

  #isReady({ op }: GraphNode): boolean {
    const { role = "plain", transfer, calls } = structureOf(op);
    if (transfer === "receive") {
      return !this.#isPartial;
    }
    if ((role !== "plain" && role !== "merge") || calls !== undefined) {
      return false;
    }
    const kernels = this.#kernels.of(op);
    const isPure = kernels.length > 0 && kernels.every(({ kind }) => kind === "pure");
    return isPure || waitsForInputsAlone(op, this.#kernels.facts(op));
  }
}
