/** Unsaved edits that a crash left behind, and what the user does with them. */
import type { Draft } from "../../main/api/drafts.js";
import { dismissNoticeByKey, showNotice } from "../stores/app-store.js";
import { useDrafts } from "../stores/drafts-store.js";
import { client } from "../transport/client.js";
import { DraftKeeper } from "./draft-keeper.js";
import { mayLeave, openFirstDocument, showUnsaved } from "./file-actions.js";

const RESTORED_NOTICE = "draft-restored";

/** Of this window; made when it is connected. */
let keeper: DraftKeeper | undefined;

/** Begins to keep what is edited in this window. Called once at start. */
export function keepDrafts(): void {
  keeper = new DraftKeeper(client(), nextTask);
  keeper.start();
}

/** Asks which drafts there are that no window works on. */
export async function loadDrafts(): Promise<void> {
  useDrafts.setState({ drafts: await client().call("documents.drafts", {}) });
}

/**
 * Shows the edits that this tab had when its page went, and the file of its document beside them; false where there are
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
      reason: fileText(draft) ?? "The window was loaded again before they were saved.",
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

/** What the file of a draft has gone through since its edits began; undefined when nothing. */
export function fileText({ file, name }: Pick<Draft, "file" | "name">): string | undefined {
  switch (file) {
    case "changed":
      return `${name} was changed by another program since; saving asks before it replaces that.`;
    case "missing":
      return `${name} is no longer there; saving writes it again.`;
    case "none":
    case "same":
      return undefined;
  }
}

async function show({ draftId }: Draft): Promise<void> {
  showUnsaved(await client().call("documents.restoreDraft", { draftId }));
  keeper?.adopt(draftId);
}

/** The document as it is on the disk; its draft goes with the edits. */
async function startOver(): Promise<void> {
  dismissNoticeByKey(RESTORED_NOTICE);
  await openFirstDocument();
}

/** Another window may have been quicker: what is offered is looked up again in any case. */
async function attemptOn(action: () => Promise<unknown>): Promise<void> {
  try {
    await action();
  } finally {
    await loadDrafts();
  }
}

/** Lets everything else that waits in the page have its turn; unlike a timer, also in a tab that is not shown. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
