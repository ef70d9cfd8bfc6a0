/**
 * Equality of nodes and functions by their meaning. Their encodings cannot be compared: a protobuf map has no order, so the
 * same attributes come in another one each time that a client encodes them.
 */
import { isDeepStrictEqual } from "node:util";
import type { AttrValue } from "../protos/generated/tensorflow/attr_value.js";
import type { FunctionDef, FunctionDefLibrary } from "../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../protos/generated/tensorflow/node_def.js";

/** True if two nodes are the same, in whatever order their attributes and control inputs are. */
export function equalNodes(one: NodeDef, other: NodeDef): boolean {
  if (one === other) return true;
  if (one.name !== other.name || one.op !== other.op || one.device !== other.device) return false;
  return isDeepStrictEqual(withSortedControls(one), withSortedControls(other));
}

function withSortedControls(node: NodeDef): NodeDef {
  const isControl = (input: string) => input.startsWith("^");
  const data = node.input.filter((input) => !isControl(input));
  return { ...node, input: [...data, ...node.input.filter(isControl).sort()] };
}

/**
 * True if two functions of the same name are the same, as TensorFlow's FunctionDefsEqual decides (framework/function.cc): by
 * signature, attributes, nodes in any order and returned values. Attributes of nodes that begin with an underscore are
 * internal and do not count.
 */
export function equalFunctions(one: FunctionDef, other: FunctionDef): boolean {
  return (
    one === other ||
    (one.nodeDef.length === other.nodeDef.length && isDeepStrictEqual(meaningOf(one), meaningOf(other)))
  );
}

function meaningOf({ signature, attr, nodeDef, ret, controlRet }: FunctionDef) {
  const nodes = nodeDef.map((node) => [node.name, withoutInternal(withSortedControls(node))] as const);
  return { signature, attr, ret, controlRet, nodes: new Map(nodes) };
}

function withoutInternal({ name, op, input, device, attr }: NodeDef) {
  const counted = [...attr].filter((entry): entry is [string, AttrValue] => !entry[0].startsWith("_"));
  return { name, op, input, device, attr: new Map(counted) };
}

/** True if two libraries have the same functions and gradients, in any order. */
export function equalLibraries(
  one: FunctionDefLibrary | undefined,
  other: FunctionDefLibrary | undefined,
): boolean {
  const [first, second] = [functionsByName(one), functionsByName(other)];
  if (first.size !== second.size || !isDeepStrictEqual(gradientsOf(one), gradientsOf(other))) return false;
  return [...first].every(([name, definition]) => {
    const there = second.get(name);
    return there !== undefined && equalFunctions(definition, there);
  });
}

function functionsByName(library: FunctionDefLibrary | undefined): Map<string, FunctionDef> {
  return new Map(
    (library?.function ?? []).map((definition) => [definition.signature?.name ?? "", definition]),
  );
}

function gradientsOf(library: FunctionDefLibrary | undefined): Map<string, string> {
  return new Map(
    (library?.gradient ?? []).map(({ functionName, gradientFunc }) => [functionName, gradientFunc]),
  );
}
