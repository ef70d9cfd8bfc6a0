/** Unsaved edits and documents that a crash left behind, and the user's decisions about them. */
import type { DocumentFile } from "../../main/api/documents.js";
import type { Draft } from "../../main/api/drafts.js";
import { dismissNoticeByKey, showNotice, showProblem } from "../stores/app-store.js";
import { activeSession, type DocumentSession, inSession } from "../stores/document-session.js";
import { useDocument } from "../stores/document-store.js";
import { useDrafts } from "../stores/drafts-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { nextTask } from "../ui/next-task.js";
import { DraftKeeper } from "./draft-keeper.js";
import { fillSession, type OpenedAs, openFile } from "./open-actions.js";
import { fillRemembered, type RememberedTab } from "./tab-actions.js";

const words = texts.actions.draftActions;

const RESTORED_NOTICE = "draft-restored";

interface Restored extends Pick<OpenedAs, "steps"> {
  readonly file: DocumentFile;
}

/** This window's keeper; created when it is connected. */
let keeper: DraftKeeper | undefined;

/** Starts keeping drafts of this window's edits. Called once at start. */
export function keepDrafts(): void {
  keeper = new DraftKeeper(client(), nextTask);
  keeper.start();
}

/** Requests the drafts that no window works on. */
export async function loadDrafts(): Promise<void> {
  useDrafts.setState({ drafts: await client().call("documents.drafts", {}) });
}

/** Shows what a tab showed before its page was loaded again, with the edits that were not saved. Never rejects. */
export async function restoreTab(session: DocumentSession, tab: RememberedTab): Promise<void> {
  const restored = await restoreOwnDraft(session, tab).catch((error: unknown) => {
    showProblem(error);
    return false;
  });
  if (!restored) await fillRemembered(session, tab).catch(showProblem);
}

/** Shows the edits that a tab had, beside the file of its document; false if there are none. */
async function restoreOwnDraft(session: DocumentSession, tab: RememberedTab): Promise<boolean> {
  const own = tab.draft;
  if (own === undefined) return false;
  const drafts = await client().call("documents.drafts", { own });
  const draft = drafts.find(({ draftId }) => draftId === own);
  if (draft === undefined) return false;
  const { file, steps } = await fetchDraft(draft);
  await fillSession(session, file, { unsaved: draft.unedited !== true, example: tab.example, steps });
  keeper?.adopt(session, own);
  if (draft.unedited) return true;
  showNotice({
    kind: "info",
    key: RESTORED_NOTICE,
    session,
    problem: {
      code: "OK",
      message: words.restored({ name: draft.name }),
      reason: fileText(draft) ?? words.reloaded,
    },
    // The document as it is on disk; the edits are discarded with their draft.
    action: { label: words.discard, run: () => fillRemembered(session, tab) },
  });
  const unsubscribe = useDocument.of(session).subscribe(({ dirty }) => {
    if (dirty) return;
    // They were saved, or undone.
    unsubscribe();
    dismissNoticeByKey(RESTORED_NOTICE, session);
  });
  return true;
}

/** The document of a draft, which is this window's from then on, and its undo history. */
async function fetchDraft({ draftId, file: fileState }: Draft): Promise<Restored> {
  const { history, ...file } = await client().call("documents.restoreDraft", { draftId });
  const sameFile = fileState === "same" || fileState === "none";
  return { file, steps: history && { kept: history, sameFile } };
}

/** Opens the document of a draft with its edits. */
export async function restoreDraft(draft: Draft): Promise<void> {
  const { draftId, unedited = false } = draft;
  const begun = activeSession();
  await attemptOn(async () => {
    const { file, steps } = await fetchDraft(draft);
    const session = await inSession(begun, () => openFile(file, { unsaved: !unedited, steps }));
    keeper?.adopt(session, draftId);
  });
}

export async function discardDraft({ draftId }: Draft): Promise<void> {
  await attemptOn(() => client().call("documents.discardDraft", { draftId }));
}

/** The change to the file of a draft since its edits began; undefined if nothing. */
export function fileText({ file, name }: Pick<Draft, "file" | "name">): string | undefined {
  switch (file) {
    case "changed":
      return words.fileChanged({ name });
    case "missing":
      return words.fileMissing({ name });
    case "none":
    case "same":
      return undefined;
  }
}

/** Another window may have been faster, so the offers are requested again in any case. */
async function attemptOn(action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } finally {
    await loadDrafts();
  }
}
