/** The facts about a node's outputs that are known before anything runs. */
import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { outputTypes } from "../../worker-runtime/graph/node-signature.js";
import { bundledOpRegistry } from "../../worker-runtime/graph/op-registry.js";
import { type DType, dtypeOf } from "../../worker-runtime/protocol/dtype.js";
import { problem } from "../shared/problems.js";

/**
 * The dtype of a node's output; undefined for an op that is not known here.
 *
 * @throws ProblemError INVALID_ARGUMENT when the op has no such output.
 */
export function dtypeOfOutput(
  library: GraphDef["library"],
  node: NodeDef,
  output: number,
): DType | undefined {
  const opDef = bundledOpRegistry().withFunctions(library).get(node.op);
  if (!opDef) return typeOfAttr(node.attr.get("dtype"));
  const outputs = outputTypes(opDef, node);
  const signature = outputs[output];
  if (!signature) {
    throw problem("INVALID_ARGUMENT", `${node.name} has no output ${output}.`, {
      reason: `Its op ${node.op} has ${outputs.length === 0 ? "none" : outputs.length}.`,
      remedy: "Choose another output, or another node.",
      node: node.name,
    });
  }
  return signature.dtype === undefined ? undefined : dtypeOf(signature.dtype);
}

function typeOfAttr(attr: AttrValue | undefined): DType | undefined {
  return attr?.value?.$case === "type" ? dtypeOf(attr.value.value) : undefined;
}
