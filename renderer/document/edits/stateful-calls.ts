/** TensorFlow has ops of their own for calls of functions with state; a call without may be left out or done once for many. */
import type { FunctionDef } from "../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { namedFunctions } from "../function-effects.js";
import { nameOf } from "../library.js";
import type { Operation } from "../operations.js";
import { replaceNodes } from "../operations.js";

const STATEFUL: Readonly<Record<string, string>> = {
  PartitionedCall: "StatefulPartitionedCall",
  StatelessIf: "If",
  StatelessCase: "Case",
  StatelessWhile: "While",
};

/**
 * The changes when a function gets state: the ops of its calls, and the functions with calls, which then have state too.
 */
export function withStatefulCalls(
  nodes: ReadonlyMap<string, NodeDef>,
  functions: readonly FunctionDef[],
  name: string,
): { readonly functions: readonly FunctionDef[]; readonly operations: readonly Operation[] } {
  const stateful = new Set([name]);
  const called = (node: NodeDef) =>
    namedFunctions(node).some((one) => stateful.has(one))
      ? { ...node, op: STATEFUL[node.op] ?? node.op }
      : node;
  let result = functions;
  for (let count = 0; count < stateful.size; ) {
    count = stateful.size;
    result = result.map((definition) => {
      const nodeDef = definition.nodeDef.map((node) => (called(node).op === node.op ? node : called(node)));
      const calls = definition.nodeDef.some((node) => namedFunctions(node).some((one) => stateful.has(one)));
      const { signature } = definition;
      if (!calls || !signature) return definition;
      stateful.add(nameOf(definition));
      const isSame =
        signature.isStateful && nodeDef.every((node, index) => node === definition.nodeDef[index]);
      return isSame ? definition : { ...definition, nodeDef, signature: { ...signature, isStateful: true } };
    });
  }
  const changed = [...nodes.values()].map((node): readonly [NodeDef, NodeDef] => {
    const after = called(node);
    return [node, after.op === node.op ? node : after];
  });
  return { functions: result, operations: replaceNodes(changed) };
}
