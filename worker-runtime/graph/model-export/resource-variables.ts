/** Variables of the old kind as resources, which every program can load. */
import { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { parseEdge, tensorName } from "../edge.js";
import { isVariable } from "../initialisers.js";
import { inputArgs } from "../node-signature.js";
import type { OpRegistry } from "../op-registry.js";

export interface ResourceVariables {
  readonly nodes: readonly NodeDef[];
  /** By the tensor of a variable that was changed: the tensor that reads it now. */
  readonly reads: ReadonlyMap<string, string>;
}

/**
 * Replaces references by resources and reads of them. A variable that a node takes as a reference, to change it, stays
 * as it is.
 */
export function withResourceVariables(nodes: readonly NodeDef[], registry: OpRegistry): ResourceVariables {
  const byReference = new Set<string>();
  for (const node of nodes) {
    const opDef = registry.get(node.op);
    if (!opDef?.inputArg.some(({ isRef }) => isRef)) continue;
    for (const [at, { isRef }] of inputArgs(opDef, node).entries())
      if (isRef) byReference.add(nodeOfInput(node.input[at]));
  }
  const taken = new Set(nodes.map(({ name }) => name));
  const reads = new Map<string, string>();
  const changed = nodes.flatMap((node): NodeDef[] => {
    if (!isVariable(node) || node.op === "VarHandleOp" || byReference.has(node.name)) return [node];
    let read = `${node.name}/Read/ReadVariableOp`;
    for (let number = 1; taken.has(read); number++) read = `${node.name}/Read/ReadVariableOp_${number}`;
    taken.add(read);
    reads.set(tensorName(node.name), tensorName(read));
    const [dtype, shape] = [node.attr.get("dtype"), node.attr.get("shape")];
    const shared = node.attr.get("shared_name");
    return [
      {
        ...node,
        op: "VarHandleOp",
        attr: new Map([
          ...(dtype ? ([["dtype", dtype]] as const) : []),
          ...(shape ? ([["shape", shape]] as const) : []),
          ...(shared ? ([["shared_name", shared]] as const) : []),
        ]),
      },
      NodeDef.fromPartial({
        name: read,
        op: "ReadVariableOp",
        input: [node.name],
        attr: new Map(dtype ? [["dtype", dtype]] : []),
      }),
    ];
  });
  if (reads.size === 0) return { nodes, reads };
  return { nodes: changed.map((node) => readingFrom(node, reads)), reads };
}

function readingFrom(node: NodeDef, reads: ReadonlyMap<string, string>): NodeDef {
  const input = node.input.map((text) => {
    if (text.startsWith("^")) return text;
    const { node: source, output } = dataEdge(text);
    const read = reads.get(tensorName(source, output));
    // The node that reads the variable itself takes the place of the others.
    return read === undefined || read === tensorName(node.name) ? text : read.replace(/:0$/, "");
  });
  return { ...node, input };
}

function dataEdge(text: string) {
  const edge = parseEdge(text);
  return { node: edge.node, output: edge.control ? -1 : edge.output };
}

function nodeOfInput(text: string | undefined): string {
  return text === undefined ? "" : parseEdge(text).node;
}
