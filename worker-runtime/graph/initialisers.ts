import { getTextEncoding } from "@bufbuild/protobuf/wire";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { type GraphIndex, neededFor, sourcesOf } from "./graph-index.js";

const VARIABLE_OPS: ReadonlySet<string> = new Set(["Variable", "VariableV2", "VarHandleOp"]);
const ASSIGN_OPS: ReadonlySet<string> = new Set(["Assign", "AssignVariableOp"]);
const RESTORE_OPS: ReadonlySet<string> = new Set(["Restore", "RestoreSlice", "RestoreV2"]);

export function isVariable(node: NodeDef | undefined): boolean {
  return node !== undefined && VARIABLE_OPS.has(node.op);
}

/** The name that a task knows the state of a variable or table by. */
export function stateName({ name, attr }: NodeDef): string {
  const shared = attr.get("shared_name")?.value;
  return shared?.$case === "s" && shared.value.length > 0 ? getTextEncoding().decodeUtf8(shared.value) : name;
}

/** True for the ops that read a checkpoint. */
export function isRestore(node: NodeDef | undefined): boolean {
  return node !== undefined && RESTORE_OPS.has(node.op);
}

/**
 * What an assignment is for: a variable's first value, a value that a user hands in, or a checkpoint's; undefined for
 * nodes that are no assignment and for those that compute the new value from the variable's own.
 */
export function assignmentKind(
  index: GraphIndex,
  name: string,
): "first-value" | "by-hand" | "checkpoint" | undefined {
  const node = index.nodes.get(name);
  if (!node || !ASSIGN_OPS.has(node.op)) return undefined;
  const [variable, value] = sourcesOf(index, name).filter(({ output }) => output >= 0);
  if (!variable || !value) return undefined;
  const origins = neededFor(index, [value.node]);
  if (origins.has(variable.node)) return undefined;
  let byHand = false;
  for (const origin of origins) {
    const source = index.nodes.get(origin);
    if (isRestore(source)) return "checkpoint";
    byHand ||= source?.op === "Placeholder";
  }
  return byHand ? "by-hand" : "first-value";
}

/** True for an assignment of a value that depends neither on the variable itself, nor on a feed or a checkpoint. */
export function isInitialiser(index: GraphIndex, name: string): boolean {
  return assignmentKind(index, name) === "first-value";
}
