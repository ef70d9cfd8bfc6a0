import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import type { FunctionDefLibrary } from "../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";

/** The functions that nodes call, and those that these call, in the order of the library. */
export function reachableFunctions(
  nodes: readonly NodeDef[],
  library: FunctionDefLibrary | undefined,
): FunctionDefLibrary | undefined {
  if (!library) return undefined;
  const bodies = new Map(library.function.map((one) => [one.signature?.name ?? "", one.nodeDef]));
  const found = new Set<string>();
  const open = [...nodes];
  for (let node = open.pop(); node; node = open.pop()) {
    for (const name of [node.op, ...[...node.attr.values()].flatMap(functionsIn)]) {
      const body = bodies.get(name);
      if (!body || found.has(name)) continue;
      found.add(name);
      open.push(...body);
    }
  }
  return {
    ...library,
    function: library.function.filter(({ signature }) => found.has(signature?.name ?? "")),
    gradient: library.gradient.filter(
      ({ functionName, gradientFunc }) => found.has(functionName) && found.has(gradientFunc),
    ),
  };
}

function functionsIn({ value }: AttrValue): string[] {
  if (value?.$case === "func") return [value.value.name];
  return value?.$case === "list" ? value.value.func.map(({ name }) => name) : [];
}
