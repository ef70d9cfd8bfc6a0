/** Which variables edits have renamed: a task keeps the value of a variable under its name. Pure. */

import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { isVariable } from "../../worker-runtime/graph/initialisers.js";
import { renameAll } from "../document/edits/rename.js";
import type { History } from "../document/history.js";
import type { GraphDocument } from "../document/model.js";
import { apply, invert, type Operation } from "../document/operations.js";

/** The names that variables have after an edit, or after undo or redo of one, by those that they had before. */
export function variablesRenamedBetween(before: History, after: History): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>();
  for (const operation of operationsBetween(before, after)) {
    if (operation.type !== "nodes") continue;
    for (const { before: one, after: other } of operation.changes) {
      if (one && other && one.name !== other.name && isNamedByNode(one)) renamed.set(one.name, other.name);
    }
  }
  return renamed;
}

function operationsBetween(before: History, after: History): readonly Operation[] {
  const isUndone = after.future.length > before.future.length;
  const step = isUndone ? before.past.at(-1) : after.past.at(-1);
  return isUndone ? invert(step?.operations ?? []) : (step?.operations ?? []);
}

/** A shared name stays as it is when the node is renamed, and the value with it. */
function isNamedByNode(node: NodeDef): boolean {
  const shared = node.attr.get("shared_name")?.value;
  return isVariable(node) && !(shared?.$case === "s" && shared.value.length > 0);
}

/** Two renamings, one after the other, as one. Names that came back to what they were are left out. */
export function renamedInTurn(
  first: ReadonlyMap<string, string>,
  then: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const between = new Set(first.values());
  const all = [
    ...[...first].map(([from, to]) => [from, then.get(to) ?? to] as const),
    ...[...then].filter(([from]) => !between.has(from)),
  ];
  return new Map(all.filter(([from, to]) => from !== to));
}

/** The document with the earlier names of variables; as it is where other nodes have these now. */
export function withEarlierNames(
  document: GraphDocument,
  renamed: ReadonlyMap<string, string>,
): GraphDocument {
  const names = new Map(
    [...renamed].filter(([, to]) => document.nodes.has(to)).map(([from, to]) => [to, from]),
  );
  if (names.size === 0) return document;
  const result = renameAll(document, names, "");
  return result.ok ? apply(document, result.transaction.operations) : document;
}
