/** The effects of a node apart from its outputs: a function that is called does all of it, a graph what is asked for. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { type OpLookup, signatureOf } from "./signature.js";

/** Stateful ops with outputs that change something all the same; not those whose state ends with the step. */
const CHANGES = /^(Assign|Scatter|Resource(Apply|Scatter)|CountUpTo|.*Enqueue|.*Dequeue)/;

/** Whether a run of the node is seen elsewhere: it changes a variable, prints, or writes a file. */
export function hasEffect(node: NodeDef, lookup: OpLookup): boolean {
  const signature = signatureOf(node, lookup);
  if (!signature?.opDef.isStateful) return false;
  return signature.outputs.length === 0 || CHANGES.test(node.op) || callsFunction(node);
}

/** Functions that a node names, also as its op. */
export function namedFunctions({ op, attr }: NodeDef): string[] {
  const inAttrs = [...attr.values()].flatMap(({ value }) => {
    if (value?.$case === "func") return [value.value.name];
    return value?.$case === "list" ? value.value.func.map(({ name }) => name) : [];
  });
  return [op, ...inAttrs];
}

function callsFunction(node: NodeDef): boolean {
  return namedFunctions(node).length > 1;
}

/** Whether a node reads or changes state, by which TensorFlow tells StatefulPartitionedCall from PartitionedCall. */
export function isStateful(node: NodeDef, lookup: OpLookup): boolean {
  return signatureOf(node, lookup)?.opDef.isStateful ?? true;
}
