/** An edit is a pure function from the document to one transaction, or to a reason why it cannot be made. */
import { texts } from "../../texts/texts.js";
import type { Transaction } from "../operations.js";

export type EditResult =
  | { readonly ok: true; readonly transaction: Transaction }
  | { readonly ok: false; readonly reason: string };

export function refused(reason: string): EditResult {
  return { ok: false, reason };
}

export function edit(transaction: Transaction): EditResult {
  return { ok: true, transaction };
}

/** "z", "3 nodes". */
export function nodesText(names: readonly string[]): string {
  return names.length === 1 ? (names[0] ?? "") : texts.document.edits.common.nodes({ count: names.length });
}
