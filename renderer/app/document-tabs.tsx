import { type ReactElement, useEffect, useState } from "react";
import { fileCommands } from "../commands/file-commands.js";
import { menuOf } from "../commands/menu-entry.js";
import { tabCommands } from "../commands/tab-commands.js";
import { CommandIconButton } from "../parts/command-button.js";
import {
  activateSession,
  type DocumentSession,
  moveSession,
  openSessions,
  useActiveSession,
} from "../stores/document-session.js";
import { texts } from "../texts/texts.js";
import { Icon } from "../ui/icon.js";
import { MenuAt } from "../ui/menu.js";
import { Spinner } from "../ui/spinner.js";
import type { TabSide } from "../ui/tab-drag.js";
import { type Tab, TabControl, TabList } from "../ui/tabs.js";
import styles from "./document-tabs.module.css";
import { type DocumentTab, useDocumentTabs } from "./use-document-tabs.js";

const words = texts.app.documentTabs;

/** The bar of the open documents; none while only one is open, whose name is in the top bar. */
export function DocumentTabs(): ReactElement | null {
  const documents = useDocumentTabs();
  const { id: active } = useActiveSession();
  const [menu, setMenu] = useState<{ readonly of: DocumentSession; readonly at: { x: number; y: number } }>();
  const selected = String(active);
  useEffect(() => {
    document
      .querySelector(`[data-tab="${selected}"]`)
      ?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }, [selected]);
  if (documents.length === 1) return null;
  const tabs = documents.map(
    (one): Tab<string> => ({
      id: String(one.id),
      label: one.name,
      detail: one.folder,
      title: one.path ?? words.notSaved,
      mark: one.id === active ? undefined : <RunMark run={one.run} />,
      unsaved: one.dirty,
      onClose: () => close(String(one.id)),
    }),
  );
  return (
    <div className={styles.tabs} data-panel-name="tabs" tabIndex={-1}>
      <TabList
        label={words.openDocuments}
        tabs={tabs}
        selected={selected}
        scrolls
        onPointerSelect={focusCanvas}
        onMove={move}
        onContextMenu={(id, event) => {
          const of = sessionOf(id);
          event.preventDefault();
          if (of) setMenu({ of, at: placeOf(event) });
        }}
      >
        <TabControl>
          <CommandIconButton command={fileCommands.create} icon="plus" small />
        </TabControl>
      </TabList>
      {menu ? (
        <MenuAt
          at={menu.at}
          label={words.document}
          entries={menuOf(menu.of, [
            [tabCommands.close, tabCommands.closeOthers],
            [tabCommands.moveLeft, tabCommands.moveRight],
          ])}
          onClose={() => setMenu(undefined)}
        />
      ) : null}
    </div>
  );
}

/** Shows the document of a tab. */
export function showDocument(id: string): void {
  const session = sessionOf(id);
  if (session) activateSession(session);
}

function sessionOf(id: string): DocumentSession | undefined {
  return openSessions().find((session) => String(session.id) === id);
}

/** Puts a tab beside the one that it was dropped on. */
function move(id: string, onto: string, side: TabSide): void {
  const [session, other] = [sessionOf(id), sessionOf(onto)];
  if (!session || !other) return;
  const others = openSessions().filter((one) => one !== session);
  moveSession(session, others.indexOf(other) + (side === "after" ? 1 : 0));
}

function close(id: string): void {
  const session = sessionOf(id);
  if (session) tabCommands.close.on(session).run();
}

/** Keys then mean the graph, as in a window of one document. */
function focusCanvas(): void {
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>("[data-canvas]")?.focus({ preventScroll: true }),
  );
}

/** Where the pointer is; below the tab if the menu was opened with a key. */
function placeOf({ clientX, clientY, currentTarget }: React.MouseEvent): { x: number; y: number } {
  if (clientX !== 0 || clientY !== 0) return { x: clientX, y: clientY };
  const { left, bottom } = currentTarget.getBoundingClientRect();
  return { x: left, y: bottom };
}

function RunMark({ run }: Pick<DocumentTab, "run">): ReactElement | null {
  if (run === "running") return <Spinner label={words.running} />;
  if (run === undefined) return null;
  return (
    <span className={styles.failed} role="img" aria-label={words.runFailed}>
      <Icon name="error" size={13} />
    </span>
  );
}
