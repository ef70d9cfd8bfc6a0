import { structureOf } from "../../../graph/structural-ops.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import type { OpFacts } from "../kernels/op-facts.js";
import type { GroupedNode } from "./find-regions.js";

/**
 * The attribute with which a master records how many times a received value, or one before it, was transferred between
 * tasks.
 */
export const CROSSINGS_ATTR = "_tensordeck_crossings";

/**
 * Whether nodes of an op without a pure kernel wait only for their inputs. Nodes downstream of any other op are never
 * grouped with nodes that are not.
 */
export function waitsForInputsAlone(op: string, facts: OpFacts): boolean {
  return facts.neverWaits === true || structureOf(op).boundary !== undefined;
}

/** The events that a node without a pure kernel may wait for besides its inputs. */
export function waitOf(node: KernelNode, facts: OpFacts): GroupedNode["waits"] {
  if (structureOf(node.op).transfer === "receive") {
    const attr = node.attr(CROSSINGS_ATTR)?.value;
    return attr?.$case === "i" ? Number(attr.value) : "unknown";
  }
  return waitsForInputsAlone(node.op, facts) ? "never" : "unknown";
}
