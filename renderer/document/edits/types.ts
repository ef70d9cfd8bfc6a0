/** An edit is a pure function from the document to one transaction, or to a reason why it cannot be made. */
import { texts } from "../../texts/texts.js";
import type { Transaction } from "../operations.js";

export type EditResult =
  | { readonly ok: true; readonly transaction: Transaction }
  | { readonly ok: false; readonly reason: string };

export function refused(reason: string): EditResult {
  return { ok: false, reason };
}

/** Thrown deep within an edit that cannot be made; `orRefused` returns it as the edit's reason. */
export class Refusal extends Error {}

/** The result of `make`, or the reason of a `Refusal` in it. */
export function orRefused<T>(make: () => T): T | string {
  try {
    return make();
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

export function edit(transaction: Transaction): EditResult {
  return { ok: true, transaction };
}

/** "z", "3 nodes". */
export function nodesText(names: readonly string[]): string {
  return names.length === 1 ? (names[0] ?? "") : texts.document.edits.common.nodes({ count: names.length });
}
