/** Where the user has been in the graph: what was open, in view and selected before each jump. */
import type { Viewport } from "@xyflow/react";
import type { Openness } from "../document/visible-graph.js";
import { perDocument } from "../stores/document-session.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { graphViewActions, useGraphView } from "../stores/graph-view-store.js";
import { currentView, moveView, revealNode } from "./view.js";

interface Stop {
  readonly openness: Openness;
  readonly view: Viewport;
  readonly selection: ReadonlySet<string>;
}

export interface TravelStore {
  readonly past: readonly Stop[];
  readonly future: readonly Stop[];
}

const MAX_STOPS = 100;

export const useTravel = perDocument<TravelStore>(() => ({ past: [], future: [] }));

function here(): Stop {
  const { openness } = useGraphView.getState();
  return { openness, view: currentView(), selection: useDocument.getState().selection };
}

/** Called before a jump, so that "back" returns to here. */
export function rememberStop(): void {
  useTravel.setState(({ past }) => ({ past: [...past.slice(1 - MAX_STOPS), here()], future: [] }));
}

/** Selects a node and brings it into view; what hides it is opened. */
export function goToNode(name: string): void {
  rememberStop();
  documentActions.select([name]);
  revealNode(name);
}

export function goBack(): void {
  const { past, future } = useTravel.getState();
  const stop = past.at(-1);
  if (!stop) return;
  useTravel.setState({ past: past.slice(0, -1), future: [...future, here()] });
  returnTo(stop);
}

export function goForward(): void {
  const { past, future } = useTravel.getState();
  const stop = future.at(-1);
  if (!stop) return;
  useTravel.setState({ past: [...past, here()], future: future.slice(0, -1) });
  returnTo(stop);
}

function returnTo({ openness, view, selection }: Stop): void {
  documentActions.select(selection);
  if (useGraphView.getState().openness === openness) moveView(view);
  else graphViewActions.restore(openness, view);
}
