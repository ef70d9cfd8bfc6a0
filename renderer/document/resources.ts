/** Resources of tasks, such as variables: a task that holds one runs every node that uses it. Pure. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { type OpLookup, type Slot, signatureOf } from "./signature.js";

/** True for an input or output that is a resource handle or a reference. */
export function isResource({ isRef, dtype }: Pick<Slot, "isRef" | "dtype">): boolean {
  return isRef || dtype === DataType.DT_RESOURCE;
}

/**
 * True for a node that makes a resource, as a variable does, and does not only use that of another node. Masters place all that
 * use a resource where this node is pinned, whatever they are pinned to themselves.
 */
export function makesResource(node: NodeDef, lookup: OpLookup): boolean {
  const { inputs, outputs } = signatureOf(node, lookup) ?? { inputs: [], outputs: [] };
  return outputs.some(isResource) && !inputs.some(isResource);
}
