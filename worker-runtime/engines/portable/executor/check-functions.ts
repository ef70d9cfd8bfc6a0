import type { AttrValue } from "../../../../protos/generated/tensorflow/attr_value.js";
import type { FunctionDef, FunctionDefLibrary } from "../../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import type { OpRegistry } from "../../../graph/op-registry.js";
import type { KernelRegistry } from "../kernels/registry.js";
import { isBoundaryOp } from "./bind-kernel.js";
import type { MissingKernels } from "./missing-kernels.js";

/**
 * Looks through the functions that nodes call, and those that these call, for ops that have no kernel at all. Which
 * dtypes a function's nodes have is known only once it is called.
 */
export function addMissingOfFunctions(
  nodes: readonly NodeDef[],
  library: FunctionDefLibrary,
  ops: OpRegistry,
  kernels: KernelRegistry,
  missing: MissingKernels,
): void {
  const functions = new Map<string, FunctionDef>();
  for (const definition of library.function) {
    functions.set(definition.signature?.name ?? "", definition);
  }
  const seen = new Set<string>();
  const called = nodes.flatMap(functionsOf);
  for (let name = called.pop(); name !== undefined; name = called.pop()) {
    const body = seen.has(name) ? undefined : functions.get(name)?.nodeDef;
    seen.add(name);
    for (const node of body ?? []) {
      called.push(...functionsOf(node));
      if (!ops.has(node.op)) {
        missing.addUnknownOp(node.op, `${name}/${node.name}`);
      } else if (kernels.of(node.op).length === 0 && !functions.has(node.op) && !isBoundaryOp(node.op)) {
        missing.addOp(node.op, `${name}/${node.name}`);
      }
    }
  }
}

/** Names of functions that a node may call: its op, and what its attributes name. */
function functionsOf({ op, attr }: NodeDef): readonly string[] {
  return [op, ...[...attr.values()].flatMap(({ value }) => namesIn(value))];
}

function namesIn(value: AttrValue["value"]): readonly string[] {
  switch (value?.$case) {
    case "func":
      return [value.value.name];
    case "list":
      return value.value.func.map(({ name }) => name);
    default:
      return [];
  }
}
