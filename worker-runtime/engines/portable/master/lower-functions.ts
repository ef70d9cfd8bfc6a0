import type { NameAttrList } from "../../../../protos/generated/tensorflow/attr_value.js";
import type { FunctionDef, FunctionDefLibrary } from "../../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../../../protos/generated/tensorflow/types.js";
import { parseDeviceName } from "../../../cluster/device-name.js";
import type { OpRegistry } from "../../../graph/op-registry.js";
import { invalidArgument } from "../../../protocol/status.js";
import type { FunctionTools } from "./inline-body.js";
import { lowerCall, lowerCase, lowerIf, lowerWhile } from "./lowering.js";

/** Functions may call each other, but not without end. */
const MAX_DEPTH = 100;

/**
 * Replaces calls, Ifs, Cases and Whiles whose bodies say on which tasks their nodes run by these nodes, as TensorFlow's master
 * does with all of them: a worker runs a function as a whole, so only the graph itself can be cut between tasks. Other
 * functions stay what they are. A node of the old name has the outputs, so that they can be used and fetched as before.
 * @throws TensorFlowError INVALID_ARGUMENT for functions that call themselves.
 */
export function lowerFunctions(
  nodes: readonly NodeDef[],
  library: FunctionDefLibrary | undefined,
  ops: OpRegistry,
): readonly NodeDef[] {
  if (library === undefined || library.function.length === 0) {
    return nodes;
  }
  const functions = new Map(library.function.map((one) => [one.signature?.name ?? "", one]));
  const spanning = functionsOverTasks(functions);
  return spanning.size === 0 ? nodes : lowerAll(nodes, { functions, ops }, spanning, 0);
}

function lowerAll(
  nodes: readonly NodeDef[],
  tools: FunctionTools,
  spanning: ReadonlySet<string>,
  depth: number,
): readonly NodeDef[] {
  if (depth > MAX_DEPTH) {
    throw invalidArgument(
      "Functions that are placed on several tasks call themselves, or each other, without end.",
    );
  }
  return nodes.flatMap((node) => {
    const isSpanning = calleesOf(node).some(({ name }) => spanning.has(name));
    const lowered = isSpanning ? lower(node, tools) : undefined;
    return lowered === undefined ? [node] : lowerAll(lowered, tools, spanning, depth + 1);
  });
}

/** undefined for what cannot be lowered; the worker says so then. */
function lower(node: NodeDef, tools: FunctionTools): readonly NodeDef[] | undefined {
  const callee = (attr: string) => {
    const value = node.attr.get(attr)?.value;
    return value?.$case === "func" ? value.value : undefined;
  };
  switch (node.op) {
    case "PartitionedCall":
    case "StatefulPartitionedCall": {
      const body = callee("f");
      return body && lowerCall(node, body, tools);
    }
    case "If":
    case "StatelessIf": {
      const [whenTrue, whenFalse] = [callee("then_branch"), callee("else_branch")];
      const condition = node.attr.get("Tcond")?.value;
      const isBool = condition?.$case === "type" && condition.value === DataType.DT_BOOL;
      return isBool && whenTrue && whenFalse ? lowerIf(node, { whenTrue, whenFalse }, tools) : undefined;
    }
    case "Case":
    case "StatelessCase": {
      const branches = node.attr.get("branches")?.value;
      const callees = branches?.$case === "list" ? branches.value.func : [];
      return callees.length > 0 ? lowerCase(node, callees, tools) : undefined;
    }
    case "While":
    case "StatelessWhile": {
      const [condition, body] = [callee("cond"), callee("body")];
      const answer = tools.functions.get(condition?.name ?? "")?.signature?.outputArg[0];
      const isBool = answer?.type === DataType.DT_BOOL;
      return isBool && condition && body ? lowerWhile(node, { condition, body }, tools) : undefined;
    }
    default:
      return undefined;
  }
}

/** The functions with a node, their own or of one that they call, that names a job or a task. */
function functionsOverTasks(functions: ReadonlyMap<string, FunctionDef>): ReadonlySet<string> {
  const callers = new Map<string, string[]>();
  const todo: string[] = [];
  for (const [name, { nodeDef }] of functions) {
    if (nodeDef.some(namesTask)) {
      todo.push(name);
    }
    for (const callee of nodeDef.flatMap(calleesOf)) {
      callers.set(callee.name, [...(callers.get(callee.name) ?? []), name]);
    }
  }
  const spanning = new Set<string>();
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    if (!spanning.has(name)) {
      spanning.add(name);
      todo.push(...(callers.get(name) ?? []));
    }
  }
  return spanning;
}

function namesTask({ device }: NodeDef): boolean {
  if (device === "") {
    return false;
  }
  const { job, task } = parseDeviceName(device);
  return job !== undefined || task !== undefined;
}

function calleesOf({ attr }: NodeDef): NameAttrList[] {
  return [...attr.values()].flatMap(({ value }) =>
    value?.$case === "func" ? [value.value] : value?.$case === "list" ? value.value.func : [],
  );
}
