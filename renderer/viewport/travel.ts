/** Where the user has been in the graph and its functions: what was open, in view and selected before each jump. */
import type { Viewport } from "@xyflow/react";
import type { Openness } from "../document/visible-graph.js";
import {
  activeGraph,
  activeSession,
  type DocumentSession,
  openFunctions,
  perDocument,
} from "../stores/document-session.js";
import { documentActions, useGraph } from "../stores/document-store.js";
import { leaveFunctions, openFunction, returnToFunctions, shownFunction } from "../stores/function-bodies.js";
import { graphViewActions, useGraphView } from "../stores/graph-view-store.js";
import { oncePrepared } from "./entering.js";
import { currentView, moveView, revealNode, revealNodes } from "./view.js";
import { useCanvas } from "./view-store.js";

interface Stop {
  /** The functions that were open; none: the graph itself was shown. */
  readonly path: readonly DocumentSession[];
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
  const path = openFunctions(activeSession());
  return { path, openness, view: currentView(), selection: useGraph.getState().selection };
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

/** Opens the body of a function; "back" returns to its call. */
export function goIntoFunction(name: string): void {
  oncePrepared(name, () => {
    enter(name);
  });
}

function enter(name: string): void {
  const from = activeGraph();
  rememberStop();
  if (openFunction(name) && activeGraph() !== from) return;
  useTravel.setState(({ past }) => ({ past: past.slice(0, -1) }));
}

/** Opens the body of a function, and selects a node of it and brings it into view. */
export function goToNodeIn(name: string, node: string): void {
  if (shownFunction() === name) {
    goToNode(node);
    return;
  }
  oncePrepared(name, () => {
    enter(name);
    if (shownFunction() !== name) return;
    documentActions.select([node]);
    onceDrawn(() => revealNode(node));
  });
}

/** Goes out to the graph, to a function that the shown one was opened in, or to the innermost of these. */
export function goOutOfFunctions(to?: DocumentSession | "outer"): void {
  rememberStop();
  leaveFunctions(to === "outer" ? openFunctions(activeSession()).at(-2) : to);
}

/** Leaves the function that is shown, for what concerns nodes of the graph itself. */
export function showGraphItself(): void {
  if (shownFunction() !== undefined) goOutOfFunctions();
}

/** Selects nodes of the graph itself, for panels that tell of the whole document; a function that is shown is left. */
export function selectInGraph(
  names: readonly string[],
  mode: "replace" | "add" | "toggle" = "replace",
): void {
  const isElsewhere = shownFunction() !== undefined;
  showGraphItself();
  documentActions.select(names, mode);
  if (isElsewhere) onceDrawn(() => revealNodes(names));
}

/** As `selectInGraph`, and brings the nodes into view. */
export function showInGraph(names: readonly string[]): void {
  selectInGraph(names);
  revealNodes(names);
}

/** Calls back when the graph that comes on the screen can be moved. */
function onceDrawn(then: () => void): void {
  const stop = useCanvas.of(activeGraph()).subscribe(({ flow }) => {
    if (!flow) return;
    stop();
    requestAnimationFrame(then);
  });
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

function returnTo({ path, openness, view, selection }: Stop): void {
  const from = activeGraph();
  returnToFunctions(path);
  if (activeGraph() !== from) {
    // The canvas that comes begins where it was left.
    useCanvas.setState(({ left }) => (left ? { left: { ...left, view } } : {}));
    useGraphView.setState({ openness });
    documentActions.select(selection);
    return;
  }
  documentActions.select(selection);
  if (useGraphView.getState().openness === openness) moveView(view);
  else graphViewActions.restore(openness, view);
}
