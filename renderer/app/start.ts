/** From an empty page to a window that shows its application's state and follows it. */

import { openAskedFromNowOn } from "../actions/asked-documents.js";
import { carryValuesFromNowOn } from "../actions/carried-values.js";
import { keepDrafts, loadDrafts, restoreTab } from "../actions/draft-actions.js";
import { restoreRuns } from "../actions/restore-runs.js";
import { rememberedTabs, rememberTabs } from "../actions/tab-actions.js";
import { offerTour } from "../actions/tour-actions.js";
import { listenToKeyboard } from "../commands/keyboard.js";
import { showProblem, useApp } from "../stores/app-store.js";
import { activateSession, activeSession, openSession } from "../stores/document-session.js";
import { watchKernels } from "../stores/kernel-store.js";
import { loadOps } from "../stores/ops-store.js";
import { watchPins } from "../stores/pin-problem-store.js";
import type { Arrival } from "../transport/arrive.js";
import { setClient } from "../transport/client.js";
import { connect } from "../transport/connect.js";
import type { Refusal } from "../transport/session.js";
import { startIsOver } from "../ui/after-start.js";
import { follow } from "./follow-application.js";
import { followNativeMenu } from "./native-menu.js";
import { returnFocusAfterDialogs } from "./return-focus.js";
import { guardUnload } from "./unload-guard.js";
import { showTitle } from "./window-title.js";

function refuse(refusal: Refusal): void {
  startIsOver();
  useApp.setState({ connection: "refused", refusal });
}

/** Connects, and keeps the stores in step with the application from then on. Never rejects. */
export async function start(arrival: Promise<Arrival> | undefined): Promise<void> {
  const connection = await connect(arrival, () => refuse("ended"));
  if (!connection.ok) {
    refuse(connection.refusal);
    return;
  }
  const { client } = connection;
  setClient(client);
  follow(client);
  listenToKeyboard();
  if (window.tensordeck?.menu) followNativeMenu(window.tensordeck.menu);
  guardUnload();
  returnFocusAfterDialogs();
  showTitle();
  keepDrafts();
  carryValuesFromNowOn();
  try {
    const showOthers = await showFirstDocument();
    startIsOver();
    watchKernels();
    watchPins();
    await Promise.all([showOthers().then(restoreRuns), loadOps()]);
    await openAskedFromNowOn();
    // Not before this window's own draft is its own again.
    await loadDrafts();
    await offerTour();
  } catch (error) {
    showProblem(error);
  }
}

/**
 * What this window showed before its page was loaded again, with the edits that were not saved: the shown tab. Returns what
 * fills the others.
 */
async function showFirstDocument(): Promise<() => Promise<void>> {
  const { tabs, active } = rememberedTabs();
  const restored = tabs.map((tab, index) => ({
    tab,
    session: index === 0 ? activeSession() : openSession({ background: true }),
  }));
  const first = restored[active] ?? restored[0];
  if (first) activateSession(first.session);
  rememberTabs();
  if (first) await restoreTab(first.session, first.tab);
  return async () => {
    for (const one of restored) if (one !== first) await restoreTab(one.session, one.tab);
  };
}
