/** Closes tabs, and remembers them for when the page is loaded again. */
import { z } from "zod";
import { dismissNoticesOf, showProblem } from "../stores/app-store.js";
import {
  activateSession,
  activeSession,
  closeSession,
  type DocumentSession,
  inSession,
  isOpen,
  moveSession,
  onSessionChange,
  onSessionsOpen,
  openSession,
  openSessions,
} from "../stores/document-session.js";
import { useDocument } from "../stores/document-store.js";
import { FIRST_EXAMPLE, useTab } from "../stores/tab-store.js";
import { confirm } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { saveDocument } from "./file-actions.js";
import { emptyFile, fillSession } from "./open-actions.js";

const words = texts.actions.tabActions;

/** False when the user wants to keep a document, or saving it failed. It is shown when there is a question about it. */
async function mayLeave(session: DocumentSession): Promise<boolean> {
  const { dirty, document } = useDocument.of(session).getState();
  if (!dirty) return true;
  activateSession(session);
  const choice = await confirm({
    title: words.title({ name: document.name }),
    text: words.text,
    choices: [
      { id: "save", label: words.save, style: "primary" },
      { id: "discard", label: words.discard, style: "danger" },
    ],
  });
  if (choice === "save") return inSession(session, saveDocument);
  return choice === "discard";
}

/** Closes tabs one after the other, until the user wants to keep one. In place of the last one comes an empty document. */
export async function closeTabs(sessions: readonly DocumentSession[]): Promise<void> {
  for (const session of sessions) {
    if (!isOpen(session)) continue;
    if (!(await mayLeave(session))) return;
    if (openSessions().length === 1) {
      const empty = emptyFile(session);
      await fillSession(openSession(), empty);
    }
    closeSession(session);
    dismissNoticesOf(session);
  }
}

/** Shows the tab so many places to the right of the shown one, and goes round at the ends. */
export function showTabBeside(steps: 1 | -1): void {
  const open = openSessions();
  const next = open.at((open.indexOf(activeSession()) + steps) % open.length);
  if (next) activateSession(next);
}

/** Moves a tab to the right or to the left. */
export function moveTab(session: DocumentSession, steps: 1 | -1): void {
  moveSession(session, openSessions().indexOf(session) + steps);
}

/** The tabs of this window; they outlive its page. */
const STORAGE_KEY = "tensordeck.tabs";

const rememberedTabSchema = z.object({
  /** The document's identity, by which its runs are listed while it has no file. */
  id: z.string().optional(),
  path: z.string().optional(),
  example: z.string().optional(),
  draft: z.string().optional(),
});
/** The content of a tab: a file, an example or an empty document, and the draft of its edits. */
export type RememberedTab = z.infer<typeof rememberedTabSchema>;

const rememberedSchema = z.object({ tabs: z.array(rememberedTabSchema).min(1), active: z.number().int() });

/** The tabs that the page had before it was loaded again; the first example in a new window. */
export function rememberedTabs(): z.infer<typeof rememberedSchema> {
  try {
    return rememberedSchema.parse(JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "null"));
  } catch {
    // There is none, or it is of another version: the tabs are a convenience, edits are in their drafts.
    return { tabs: [{ example: FIRST_EXAMPLE }], active: 0 };
  }
}

/** Remembers the tabs from now on. Returns a function that stops that. */
export function rememberTabs(): () => void {
  let written = "";
  const write = () => {
    const open = openSessions();
    const tabs = open.map((session): RememberedTab => {
      const { id, path } = useDocument.of(session).getState().document;
      const { example, draft } = useTab.of(session).getState();
      return path === undefined ? { id, example, draft } : { id, path, draft };
    });
    const text = JSON.stringify({ tabs, active: open.indexOf(activeSession()) });
    if (text !== written) sessionStorage.setItem(STORAGE_KEY, text);
    written = text;
  };
  let unfollow: readonly (() => void)[] = [];
  const follow = () => {
    for (const stop of unfollow) stop();
    unfollow = openSessions().flatMap((session) => [
      useDocument.of(session).subscribe(write),
      useTab.of(session).subscribe(write),
    ]);
    write();
  };
  const stops = [onSessionsOpen(follow), onSessionChange(write)];
  follow();
  return () => {
    for (const stop of [...stops, ...unfollow]) stop();
  };
}

/** Opens what a tab showed, without its edits, in a session. A file that is gone gives way to the first example. */
export async function fillRemembered(
  session: DocumentSession,
  { id, path, example }: RememberedTab,
): Promise<void> {
  const sameDocument = id === undefined ? {} : { id };
  if (path !== undefined) {
    try {
      const file = await client().call("documents.open", { path });
      await fillSession(session, { ...file, ...sameDocument });
      return;
    } catch (error) {
      showProblem(error);
      if (openSessions().length > 1) {
        closeSession(session);
        return;
      }
    }
  }
  const chosen = path === undefined ? example : FIRST_EXAMPLE;
  const file =
    chosen === undefined ? emptyFile() : await client().call("documents.openExample", { id: chosen });
  await fillSession(
    session,
    path === undefined ? { ...file, ...sameDocument } : file,
    chosen === undefined ? {} : { example: chosen },
  );
}
