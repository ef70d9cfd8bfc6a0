import { getTextEncoding } from "@bufbuild/protobuf/wire";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { dependentsOf, type GraphIndex, neededFor, sourcesOf } from "./graph-index.js";

const VARIABLE_OPS: ReadonlySet<string> = new Set(["Variable", "VariableV2", "VarHandleOp"]);
const ASSIGN_OPS: ReadonlySet<string> = new Set(["Assign", "AssignVariableOp"]);
const RESTORE_OPS: ReadonlySet<string> = new Set(["Restore", "RestoreSlice", "RestoreV2"]);

export function isVariable(node: NodeDef | undefined): boolean {
  return node !== undefined && VARIABLE_OPS.has(node.op);
}

/** Gives a variable a value, whatever it was before. */
export function isAssignment(node: NodeDef | undefined): boolean {
  return node !== undefined && ASSIGN_OPS.has(node.op);
}

const TABLE_OPS: ReadonlySet<string> = new Set([
  ...["HashTable", "HashTableV2", "MutableHashTable", "MutableHashTableV2"],
]);

/** A lookup table, from keys to values. */
export function isTable(node: NodeDef | undefined): boolean {
  return node !== undefined && TABLE_OPS.has(node.op);
}

/** The name under which a task stores the state of a variable or table. */
export function stateName({ name, attr }: NodeDef): string {
  const shared = attr.get("shared_name")?.value;
  return shared?.$case === "s" && shared.value.length > 0 ? getTextEncoding().decodeUtf8(shared.value) : name;
}

/** True for the ops that read a checkpoint. */
export function isRestore(node: NodeDef | undefined): boolean {
  return node !== undefined && RESTORE_OPS.has(node.op);
}

/** The dependencies in a graph, for all assignments at once: graphs have thousands of both. */
interface Origins {
  readonly ofVariables: ReadonlySet<string>;
  readonly ofRestores: ReadonlySet<string>;
  readonly ofPlaceholders: ReadonlySet<string>;
}

const remembered = new WeakMap<GraphIndex, Origins>();

function originsIn(index: GraphIndex): Origins {
  const known = remembered.get(index);
  if (known) return known;
  const nodes = [...index.nodes.values()];
  const dependents = (is: (node: NodeDef) => boolean) =>
    dependentsOf(
      index,
      nodes.filter(is).map(({ name }) => name),
      { throughControl: true },
    );
  const origins: Origins = {
    ofVariables: dependents(isVariable),
    ofRestores: dependents(isRestore),
    ofPlaceholders: dependents(({ op }) => op === "Placeholder"),
  };
  remembered.set(index, origins);
  return origins;
}

/**
 * The purpose of an assignment: a variable's initial value, a value fed by the user, or a checkpoint's; undefined for
 * nodes that are not assignments and for those that compute the new value from the variable itself.
 */
export function assignmentKind(
  index: GraphIndex,
  name: string,
): "first-value" | "by-hand" | "checkpoint" | undefined {
  const node = index.nodes.get(name);
  if (!isAssignment(node)) return undefined;
  const [variable, value] = sourcesOf(index, name).filter(({ output }) => output >= 0);
  if (!variable || !value) return undefined;
  const { ofVariables, ofRestores, ofPlaceholders } = originsIn(index);
  if (ofRestores.has(value.node)) return "checkpoint";
  if (ofVariables.has(value.node) && neededFor(index, [value.node]).has(variable.node)) return undefined;
  return ofPlaceholders.has(value.node) ? "by-hand" : "first-value";
}

/** True for an assignment whose value depends neither on the variable itself, nor on a feed or a checkpoint. */
export function isInitialiser(index: GraphIndex, name: string): boolean {
  return assignmentKind(index, name) === "first-value";
}
