/** Suggesting a placement, and applying it as one edit. */

import { inSlices } from "../document/in-slices.js";
import { pinsOf } from "../placement/pins.js";
import { type PlacementEngine, placementEngine } from "../placement/placement-engine.js";
import { dismissNoticeByKey, showNotice } from "../stores/app-store.js";
import {
  activeSession,
  type DocumentSession,
  inSession,
  recordPerDocument,
} from "../stores/document-session.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { currentStep } from "../stores/placement-input.js";
import {
  isCurrent,
  type MeasuredStep,
  measuredIn,
  movedVariables,
  type PlacementStore,
  type Suggestion,
  tasksAfter,
  usePlacement,
} from "../stores/placement-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { confirm } from "../stores/ui-store.js";
import { useVariables } from "../stores/variable-store.js";
import { texts } from "../texts/texts.js";
import { listText } from "../ui/format.js";
import { nextTask } from "../ui/next-task.js";
import { bringBack, type KeptValues, setAside, VALUES_NOTICE } from "./kept-values.js";
import { currentGraph, readLive } from "./variable-reading.js";

const words = texts.actions.placementActions;

/** In a worker of the window's own files, as its content security policy demands. */
const inWorker = placementEngine(
  () => new Worker(new URL("../placement/placement-worker.ts", import.meta.url), { type: "module" }),
);

const searches = recordPerDocument((): { abort?: AbortController } => ({}));

class SearchCancelled extends Error {}

/**
 * Looks for a placement with a shorter step, and shows it as a suggestion. Changes nothing of the document. Resolves when
 * the search has ended; a search in progress is ended first.
 */
export async function suggestPlacement(engine: PlacementEngine = inWorker): Promise<void> {
  const store = usePlacement.of(activeSession());
  const search = searches();
  search.abort?.abort(new SearchCancelled());
  const abort = new AbortController();
  search.abort = abort;
  const { keepPins } = store.getState();
  const { nodes } = useDocument.getState().document;
  const reading = currentStep(keepPins);
  const measured = measuredStep();
  store.setState({ search: { progress: undefined }, suggestion: undefined });
  const show = (change: Partial<PlacementStore>) => {
    if (search.abort === abort) store.setState(change);
  };
  try {
    const step = await inSlices(reading, { pause: nextTask, signal: abort.signal });
    const { found, moves } = await engine(
      { problem: step.problem, start: step.start, names: step.members.map(([name = ""]) => name) },
      (progress) => show({ search: { progress } }),
      abort.signal,
    );
    const { assignment, before, after } = found;
    show({
      search: undefined,
      suggestion: { step, moves, skipped: new Set(), assignment, before, after, measured, nodes },
    });
  } catch (error) {
    show({ search: undefined });
    if (!(error instanceof SearchCancelled)) throw error;
  }
}

export function cancelSuggestion(): void {
  searches().abort?.abort(new SearchCancelled());
}

/** The newest traced step, if it is of the document as it is now. */
function measuredStep(): MeasuredStep | undefined {
  const { latest, runRevision } = useDocumentRun.getState();
  return runRevision === useDocument.getState().revision ? measuredIn(latest) : undefined;
}

/**
 * Pins the nodes as suggested. Variables that go to another task have their values there, too: these are read before, and
 * assigned after the edit, which is undone if that fails. Asks if they cannot be moved along.
 */
export async function applySuggestion(): Promise<void> {
  const session = activeSession();
  const { suggestion } = usePlacement.getState();
  if (!suggestion) return;
  const kept = await valuesToMove(suggestion);
  if (kept === "stay") return;
  const revision = inSession(session, () => pinAsSuggested(suggestion));
  if (kept === undefined) return;
  if (revision === undefined) {
    dismissNoticeByKey(VALUES_NOTICE, session);
    return;
  }
  let moved = false;
  try {
    const graphId = await inSession(session, currentGraph);
    moved = await bringBack(session, graphId, kept);
    if (moved) tellMoved(session, kept.names.length);
  } finally {
    inSession(session, () => {
      // Without their values, the variables stay where they were.
      if (!moved && useDocument.getState().revision === revision) documentActions.undo();
    });
  }
}

/** @returns the document's revision with the pins; undefined if they cannot be set any more */
function pinAsSuggested(suggestion: Suggestion): number | undefined {
  if (!isCurrent(suggestion)) return undefined;
  const { step, assignment, before, after, measured } = suggestion;
  const pins = pinsOf(useDocument.getState().document, step, assignment);
  if (!documentActions.pinEach(pins, (nodes) => words.apply({ nodes }))) return undefined;
  const { revision } = useDocument.getState();
  usePlacement.setState({
    suggestion: undefined,
    applied: { before, after, measuredBefore: measured, revision },
  });
  return revision;
}

/**
 * Reads the values of the variables that would go to another task.
 *
 * @returns undefined if none has a value, or the user gives them up; "stay" if nothing shall be moved
 */
async function valuesToMove(suggestion: Suggestion): Promise<KeptValues | "stay" | undefined> {
  const session = activeSession();
  const variables = movedVariables(suggestion);
  if (variables.length === 0) return undefined;
  const { graphId, live } = await readLive(variables);
  if (graphId === undefined) {
    // Before the first run no variable has a value.
    if (useDocumentRun.of(session).getState().latest === undefined) return undefined;
    return await withoutValues(useVariables.of(session).getState().problem?.message ?? "");
  }
  if (live.length === 0) return undefined;
  const down = [...tasksAfter(suggestion, live)].filter(({ engine }) => !engine.isUp);
  if (down.length > 0) {
    const tasks = listText(down.map(({ engine }) => engine.name));
    return await withoutValues(words.withoutValues.down({ tasks, count: down.length }));
  }
  return (await setAside(session, graphId, live)) ?? "stay";
}

/** Asks whether variables shall go without their values. @param reason that these cannot go with them */
async function withoutValues(reason: string): Promise<"stay" | undefined> {
  const choice = await confirm({
    title: words.withoutValues.title,
    text: words.withoutValues.text({ reason }),
    choices: [{ id: "move", label: words.withoutValues.move, style: "danger" }],
  });
  return choice === "move" ? undefined : "stay";
}

function tellMoved(session: DocumentSession, count: number): void {
  const problem = { code: "OK", message: words.moved({ count }) };
  showNotice({ kind: "info", key: VALUES_NOTICE, session, problem });
}

export function discardSuggestion(): void {
  usePlacement.setState({ suggestion: undefined });
}
