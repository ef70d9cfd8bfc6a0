/** Suggesting a placement, and applying it as one edit. */

import { inSlices } from "../document/in-slices.js";
import { pinsOf } from "../placement/pins.js";
import { type PlacementEngine, placementEngine } from "../placement/placement-engine.js";
import { activeSession, recordPerDocument } from "../stores/document-session.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { currentStep } from "../stores/placement-input.js";
import {
  isCurrent,
  type MeasuredStep,
  measuredIn,
  type PlacementStore,
  usePlacement,
} from "../stores/placement-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { texts } from "../texts/texts.js";
import { nextTask } from "../ui/next-task.js";
import { valuesCarried } from "./carried-values.js";

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
 * Pins the nodes as suggested, in one edit. Resolves when the variables that go to another task have their values there
 * (carried-values.ts).
 */
export async function applySuggestion(): Promise<void> {
  const { suggestion } = usePlacement.getState();
  if (!suggestion || !isCurrent(suggestion)) return;
  const { step, assignment, before, after, measured } = suggestion;
  const pins = pinsOf(useDocument.getState().document, step, assignment);
  if (!documentActions.pinEach(pins, (nodes) => words.apply({ nodes }))) return;
  const { revision } = useDocument.getState();
  usePlacement.setState({
    suggestion: undefined,
    applied: { before, after, measuredBefore: measured, revision },
  });
  await valuesCarried();
}

export function discardSuggestion(): void {
  usePlacement.setState({ suggestion: undefined });
}
