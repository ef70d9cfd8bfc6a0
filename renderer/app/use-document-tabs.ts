/** The open documents as their tabs tell them. */
import { useCallback, useRef, useSyncExternalStore } from "react";
import { folderOf } from "../actions/paths.js";
import { type DocumentSession, useSessions } from "../stores/document-session.js";
import { useDocument } from "../stores/document-store.js";
import { keepEqual } from "../stores/keep-equal.js";
import { isActive, useDocumentRun } from "../stores/run-store.js";

export interface DocumentTab {
  readonly id: number;
  readonly name: string;
  readonly path: string | undefined;
  /** The folder of a document whose name another one has, too. */
  readonly folder: string | undefined;
  readonly dirty: boolean;
  /** The state of its newest run, if that matters to those who look at another tab. */
  readonly run: "running" | "failed" | undefined;
}

function summaryOf(session: DocumentSession): Omit<DocumentTab, "folder"> {
  const { document, dirty } = useDocument.of(session).getState();
  const { latest } = useDocumentRun.of(session).getState();
  const run = isActive(latest) ? "running" : latest?.state === "failed" ? "failed" : undefined;
  return { id: session.id, name: document.name, path: document.path, dirty, run };
}

function tabsNow(): readonly DocumentTab[] {
  const all = useSessions.getState().open.map(summaryOf);
  const isAlone = (name: string) => all.filter((other) => other.name === name).length === 1;
  return all.map((tab) => ({
    ...tab,
    folder:
      tab.path === undefined || isAlone(tab.name) ? undefined : folderOf(tab.path).split(/[\\/]/).at(-1),
  }));
}

/** The tabs in their order; rendered again only when what they tell has changed. */
export function useDocumentTabs(): readonly DocumentTab[] {
  const open = useSessions((state) => state.open);
  const newest = useRef<readonly DocumentTab[]>([]);
  const subscribe = useCallback(
    (listener: () => void) => {
      const stops = open.flatMap((session) => [
        useDocument.of(session).subscribe(listener),
        useDocumentRun.of(session).subscribe(listener),
      ]);
      return () => {
        for (const stop of stops) stop();
      };
    },
    [open],
  );
  return useSyncExternalStore(subscribe, () => {
    newest.current = keepEqual(newest.current, tabsNow());
    return newest.current;
  });
}
