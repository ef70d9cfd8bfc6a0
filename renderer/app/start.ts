/** From an empty page to a window that shows its application's state and follows it. */

import { keepDrafts, loadDrafts, restoreOwnDraft } from "../actions/draft-actions.js";
import { openFirstDocument } from "../actions/file-actions.js";
import { offerTour } from "../actions/tour-actions.js";
import { listenToKeyboard } from "../commands/keyboard.js";
import { showProblem, useApp } from "../stores/app-store.js";
import { watchKernels } from "../stores/kernel-store.js";
import { loadOps } from "../stores/ops-store.js";
import { watchPins } from "../stores/pin-problem-store.js";
import { setClient } from "../transport/client.js";
import { connect } from "../transport/connect.js";
import type { Refusal } from "../transport/session.js";
import { follow } from "./follow-application.js";
import { followNativeMenu } from "./native-menu.js";
import { returnFocusAfterDialogs } from "./return-focus.js";
import { guardUnload } from "./unload-guard.js";
import { showTitle } from "./window-title.js";

function refuse(refusal: Refusal): void {
  useApp.setState({ connection: "refused", refusal });
}

/** Connects, and keeps the stores in step with the application from then on. Never rejects. */
export async function start(): Promise<void> {
  const connection = await connect(() => refuse("ended"));
  if (!connection.ok) {
    refuse(connection.refusal);
    return;
  }
  const { client } = connection;
  setClient(client);
  follow(client);
  watchKernels();
  watchPins();
  listenToKeyboard();
  if (window.tensordeck?.menu) followNativeMenu(window.tensordeck.menu);
  guardUnload();
  returnFocusAfterDialogs();
  showTitle();
  keepDrafts();
  try {
    await Promise.all([showFirstDocument(), loadOps()]);
    // Not before this window's own draft is its own again.
    await loadDrafts();
    await offerTour();
  } catch (error) {
    showProblem(error);
  }
}

/** What this tab showed before its page was loaded again, with the edits that were not saved. */
async function showFirstDocument(): Promise<void> {
  const restored = await restoreOwnDraft().catch((error: unknown) => {
    showProblem(error);
    return false;
  });
  if (!restored) await openFirstDocument();
}
