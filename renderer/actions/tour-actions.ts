/** Starting and ending the tour for new users. */

import { taskNameOfDevice } from "../cluster/task-name.js";
import { inShown } from "../stores/document-session.js";
import { useDocument } from "../stores/document-store.js";
import { useExamples } from "../stores/example-store.js";
import { changeSettings } from "../stores/settings-store.js";
import { FIRST_EXAMPLE } from "../stores/tab-store.js";
import { useTour } from "../stores/tour-store.js";
import { client } from "../transport/client.js";
import { openExample } from "./open-actions.js";

/** The nodes of the welcome graph that the tour is about. */
export const TOUR_NODES = { moved: "y", result: "z" } as const;

/** True while the welcome graph is shown, with the user's edits or without, as long as the tour can run it. */
export function showsWelcomeGraph(): boolean {
  const { document, problems } = useDocument.getState();
  const { path, nodes } = document;
  if (path !== undefined || problems.size > 0) return false;
  const pinned = (name: string) => taskNameOfDevice(nodes.get(name)?.device ?? "") !== undefined;
  return ["a", "b", "x"].every((name) => nodes.has(name)) && Object.values(TOUR_NODES).every(pinned);
}

/** Shows the first step, in the welcome graph. Does nothing if the user keeps another document open. */
export async function startTour(): Promise<void> {
  if (!showsWelcomeGraph()) {
    const welcome = useExamples.getState().examples.find(({ id }) => id === FIRST_EXAMPLE);
    if (welcome) await openExample(welcome);
    if (!inShown(showsWelcomeGraph)) return;
  }
  useTour.setState({ step: "start", asked: true });
}

/** At the start of the window: shows the tour to a user who has neither finished nor skipped it. */
export async function offerTour(): Promise<void> {
  const { tourSeen } = await client().call("settings.get");
  if (!tourSeen && inShown(showsWelcomeGraph)) useTour.setState({ step: "start", asked: false });
}

/** The user finished or skipped the tour; it does not start by itself again. */
export async function endTour(): Promise<void> {
  useTour.setState({ step: undefined });
  await changeSettings({ tourSeen: true });
}
