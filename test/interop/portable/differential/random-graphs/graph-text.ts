import type { GraphDef } from "../../../../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../../../../protos/generated/tensorflow/node_def.js";
import { outputTypes } from "../../../../../worker-runtime/graph/node-signature.js";
import { bundledOpRegistry } from "../../../../../worker-runtime/graph/op-registry.js";
import { dtypeOf } from "../../../../../worker-runtime/protocol/dtype.js";
import { tensorFromProto } from "../../../../../worker-runtime/protocol/tensor.js";
import { attrText, elementsText } from "../op-case.js";

/** A graph for a person who is to find out why it failed: a line for each node, also of its functions. */
export function graphText({ node: nodes, library }: GraphDef): string {
  const functions = (library?.function ?? []).map(({ signature, nodeDef, ret }) => {
    const args = signature?.inputArg.map(({ name, type }) => `${name}: ${dtypeOf(type)}`) ?? [];
    const results = [...ret].map(([name, tensor]) => `${name} = ${tensor}`);
    return `${signature?.name}(${args.join(", ")})\n${nodesText(nodeDef)}\n${results.join("\n")}`;
  });
  return [nodesText(nodes), ...functions].join("\n\n");
}

function nodesText(nodes: readonly NodeDef[]): string {
  return nodes
    .map((node) => {
      const types = outputTypes(bundledOpRegistry().require(node.op), node).map(({ dtype }) =>
        dtype === undefined ? "?" : dtypeOf(dtype),
      );
      const value = node.attr.get("value")?.value;
      const given =
        value?.$case === "tensor"
          ? [elementsText(tensorFromProto(value.value))]
          : [...node.attr]
              .filter(([name, { value: one }]) => !name.startsWith("_") && one?.$case !== "type")
              .map(([name, { value: one }]) => `${name}=${attrText(one)}`);
      return `${node.name}: ${types.join()} = ${node.op}(${node.input.join(", ")}) ${given.join(" ")}`.trimEnd();
    })
    .join("\n");
}
