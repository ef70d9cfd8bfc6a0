/** Unsaved edits that a crash left behind, and the user's decisions about them. */
import type { Draft } from "../../main/api/drafts.js";
import { dismissNoticeByKey, showNotice } from "../stores/app-store.js";
import { useDrafts } from "../stores/drafts-store.js";
import { client } from "../transport/client.js";
import { nextTask } from "../ui/next-task.js";
import { DraftKeeper } from "./draft-keeper.js";
import { mayLeave, openFirstDocument, showUnsaved } from "./file-actions.js";

const RESTORED_NOTICE = "draft-restored";

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

/**
 * Shows the edits that this tab had when its page was unloaded, beside the file of its document; false if there are
 * none.
 */
export async function restoreOwnDraft(): Promise<boolean> {
  const own = DraftKeeper.remembered();
  if (own === undefined) return false;
  const drafts = await client().call("documents.drafts", { own });
  const draft = drafts.find(({ draftId }) => draftId === own);
  if (draft === undefined) return false;
  await show(draft);
  showNotice({
    kind: "info",
    key: RESTORED_NOTICE,
    problem: {
      code: "OK",
      message: `The unsaved edits of ${draft.name} are still here.`,
      reason: fileText(draft) ?? "The window was reloaded before they were saved.",
    },
    action: { label: "Discard edits", run: startOver },
  });
  return true;
}

/** Opens the document of a draft with its edits. */
export async function restoreDraft(draft: Draft): Promise<void> {
  if (!(await mayLeave())) return;
  await attemptOn(() => show(draft));
}

export async function discardDraft({ draftId }: Draft): Promise<void> {
  await attemptOn(() => client().call("documents.discardDraft", { draftId }));
}

/** What happened to the file of a draft since its edits began; undefined if nothing. */
export function fileText({ file, name }: Pick<Draft, "file" | "name">): string | undefined {
  switch (file) {
    case "changed":
      return `${name} has since been changed by another program; saving asks before replacing it.`;
    case "missing":
      return `${name} is no longer there; saving writes it again.`;
    case "none":
    case "same":
      return undefined;
  }
}

async function show({ draftId }: Draft): Promise<void> {
  await showUnsaved(await client().call("documents.restoreDraft", { draftId }));
  keeper?.adopt(draftId);
}

/** Opens the document as it is on disk; the edits are discarded with their draft. */
async function startOver(): Promise<void> {
  dismissNoticeByKey(RESTORED_NOTICE);
  await openFirstDocument();
}

/** Another window may have been faster, so the offers are requested again in any case. */
async function attemptOn(action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } finally {
    await loadDrafts();
  }
}
