import type { AttrValue } from "../../../../protos/generated/tensorflow/attr_value.js";
import type { FunctionDef, FunctionDefLibrary } from "../../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";

/** The functions that each body calls; a library's definitions never change. */
const calledBy = new WeakMap<FunctionDef, readonly string[]>();

/** The part of a library that nodes need: the functions that they call, and those that these call, with gradients. */
export function reachableFunctions(
  nodes: readonly NodeDef[],
  library: FunctionDefLibrary | undefined,
): FunctionDefLibrary | undefined {
  if (library === undefined || library.function.length === 0) {
    return undefined;
  }
  const byName = new Map(
    library.function.map((definition) => [definition.signature?.name ?? "", definition]),
  );
  const gradients = new Map(library.gradient.map((gradient) => [gradient.functionName, gradient]));
  const needed = new Set<string>();
  const todo = calls(nodes);
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    const definition = byName.get(name);
    if (definition === undefined || needed.has(name)) {
      continue;
    }
    needed.add(name);
    const gradient = gradients.get(name)?.gradientFunc;
    todo.push(...calledFunctions(definition), ...(gradient === undefined ? [] : [gradient]));
  }
  return needed.size === 0
    ? undefined
    : {
        function: library.function.filter(({ signature }) => needed.has(signature?.name ?? "")),
        gradient: library.gradient.filter(({ functionName }) => needed.has(functionName)),
        registeredGradients: library.registeredGradients,
      };
}

function calledFunctions(definition: FunctionDef): readonly string[] {
  const known = calledBy.get(definition);
  if (known !== undefined) {
    return known;
  }
  const names = [...calls(definition.nodeDef), ...[...definition.attr.values()].flatMap(functionsOfAttr)];
  calledBy.set(definition, names);
  return names;
}

/** Names that may be functions: the nodes' ops, and the values of attributes of type func. */
function calls(nodes: readonly NodeDef[]): string[] {
  const names = new Set<string>();
  for (const { op, attr } of nodes) {
    names.add(op);
    for (const value of attr.values()) {
      for (const name of functionsOfAttr(value)) {
        names.add(name);
      }
    }
  }
  return [...names];
}

function functionsOfAttr({ value }: AttrValue): string[] {
  const functions = value?.$case === "func" ? [value.value] : value?.$case === "list" ? value.value.func : [];
  // An attribute of a function's name may itself be a function.
  return functions.flatMap(({ name, attr }) => [name, ...[...attr.values()].flatMap(functionsOfAttr)]);
}
