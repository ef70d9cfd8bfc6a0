/** The state of a document's tab beside the document. */

import { texts } from "../texts/texts.js";
import { type DocumentSession, openSessions, perDocument } from "./document-session.js";
import { useDocument } from "./document-store.js";
import { useDocumentRun } from "./run-store.js";

const words = texts.stores.documentState;

export interface TabStore {
  /** The example that was opened in it; undefined once it is saved as a file. */
  readonly example: string | undefined;
  /** The draft of its unsaved edits. */
  readonly draft: string | undefined;
}

export const useTab = perDocument<TabStore>(() => ({ example: undefined, draft: undefined }));

/** The example that a window opens by itself. */
export const FIRST_EXAMPLE = "welcome";

/** Whether a document, shown or not, has edits that were not saved. */
export function isAnyDirty(): boolean {
  return openSessions().some((session) => useDocument.of(session).getState().dirty);
}

/** The tab in which a file is open. */
export function tabOf(path: string): DocumentSession | undefined {
  return openSessions().find((session) => useDocument.of(session).getState().document.path === path);
}

/** The tab in which an example is open as it came. */
export function tabOfExample(id: string): DocumentSession | undefined {
  return openSessions().find(
    (session) => useTab.of(session).getState().example === id && isUntouched(session),
  );
}

/** Nothing would be lost if another document took its place: it is empty or the first example, and was not used yet. */
export function isReplaceable(session: DocumentSession): boolean {
  const { document } = useDocument.of(session).getState();
  const { example } = useTab.of(session).getState();
  const isFirst = example === FIRST_EXAMPLE || (example === undefined && document.nodes.size === 0);
  return isFirst && document.path === undefined && isUntouched(session) && !hasRun(session);
}

function isUntouched(session: DocumentSession): boolean {
  const { dirty, canUndo, canRedo } = useDocument.of(session).getState();
  return !dirty && !canUndo && !canRedo;
}

function hasRun(session: DocumentSession): boolean {
  return useDocumentRun.of(session).getState().latest !== undefined;
}

/**
 * "untitled", or "untitled 2" where that is taken.
 *
 * @param leaving what gives way to the document that gets the name
 */
export function freeName(leaving?: DocumentSession): string {
  const others = openSessions().filter((session) => session !== leaving);
  const taken = new Set(others.map((session) => useDocument.of(session).getState().document.name));
  for (let count = 1; ; count++) {
    const name = count === 1 ? words.untitled : words.untitledWithNumber({ count });
    if (!taken.has(name)) return name;
  }
}
