/** Undo and redo as a pure value. */
import type { GraphDocument } from "./model.js";
import { apply, invert, mergeTransactions, type Transaction } from "./operations.js";

export interface History {
  readonly document: GraphDocument;
  /** Newest last. */
  readonly past: readonly Transaction[];
  /** Next to be redone last. */
  readonly future: readonly Transaction[];
  /** The step after which the document was saved; undefined: the state it was opened in. */
  readonly savedAfter: Transaction | undefined;
  /** False once the saved state can no longer be reached by undo or redo. */
  readonly savedReachable: boolean;
}

/** Steps kept. A step holds references to nodes that the document shares, so this costs little. */
const MAX_STEPS = 500;

export function startHistory(document: GraphDocument): History {
  return { document, past: [], future: [], savedAfter: undefined, savedReachable: true };
}

export function commit(history: History, transaction: Transaction): History {
  if (transaction.operations.length === 0) return history;
  const document = apply(history.document, transaction.operations);
  const last = history.past.at(-1);
  const merges =
    last?.mergeKey !== undefined && last.mergeKey === transaction.mergeKey && last !== history.savedAfter;
  const kept = merges ? history.past.slice(0, -1) : history.past;
  const step = merges ? mergeTransactions(last, transaction) : transaction;
  const past = [...kept, step].slice(-MAX_STEPS);
  const saved = history.savedAfter;
  const savedReachable =
    history.savedReachable && (saved === undefined ? kept.length + 1 === past.length : past.includes(saved));
  return { ...history, document, past, future: [], savedReachable };
}

export function undo(history: History): History {
  const step = history.past.at(-1);
  if (!step) return history;
  return {
    ...history,
    document: apply(history.document, invert(step.operations)),
    past: history.past.slice(0, -1),
    future: [...history.future, step],
  };
}

export function redo(history: History): History {
  const step = history.future.at(-1);
  if (!step) return history;
  return {
    ...history,
    document: apply(history.document, step.operations),
    past: [...history.past, step],
    future: history.future.slice(0, -1),
  };
}

/** Marks the present state as the one on disk; `document` may differ in name, path and format only. */
export function saved(history: History, document: GraphDocument): History {
  return { ...history, document, savedAfter: history.past.at(-1), savedReachable: true };
}

export function isDirty(history: History): boolean {
  return !history.savedReachable || history.past.at(-1) !== history.savedAfter;
}
