/** Making a graph trainable: the dialog, and what of it is done on the canvas. */
import type { Trainable } from "../../worker-runtime/graph/training/trainable/make-trainable.js";
import { parseTensorName } from "../document/tensor-names.js";
import { trainingScope } from "../document/trainable.js";
import { showNotice } from "../stores/app-store.js";
import { activeSession } from "../stores/document-session.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { graphViewActions } from "../stores/graph-view-store.js";
import { type TrainingDraft, type TrainingStep, useTrainingSetup } from "../stores/training-setup.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { revealNodes } from "../viewport/view.js";

const words = texts.actions.trainingActions;
const NOTICE = "made-trainable";

type Picking = Extract<TrainingStep, { kind: "pick" }>;

/** Nodes that are selected, to show them; more would open every scope of a large graph. */
const MOST_SELECTED = 100;

/** Opens the dialog. @param node computes the loss */
export function openMakeTrainable(node: string | undefined): void {
  useTrainingSetup.setState({ step: undefined });
  uiActions.open({ kind: "make-trainable", ...(node === undefined ? {} : { node }) });
}

function reopen(draft: TrainingDraft): void {
  useTrainingSetup.setState({ step: undefined });
  uiActions.open({ kind: "make-trainable", draft });
}

/** Closes the dialog, so that nodes can be selected; those that are chosen now are at first. */
export function pickOnCanvas(picking: Omit<Picking, "kind">, chosen: readonly string[]): void {
  uiActions.close();
  const nodes = chosen.map((name) => parseTensorName(name).node);
  documentActions.select(nodes);
  if (nodes.length > 0) revealNodes(nodes);
  useTrainingSetup.setState({ step: { kind: "pick", ...picking } });
}

/** The part of the selection that can be picked. */
export function pickedOf({ candidates }: Picking, selection: ReadonlySet<string>): string[] {
  return candidates.filter((name) => selection.has(parseTensorName(name).node));
}

/** Chooses what was picked and opens the dialog again. */
export function choosePicked({ what, candidates, draft }: Picking, picked: readonly string[]): void {
  if (what === "loss") {
    // A new loss is of other variables and examples.
    const ticks = { variables: new Map(), batch: new Map() };
    reopen(draft.loss === picked[0] ? draft : { ...draft, loss: picked[0], ticks });
    return;
  }
  const ticks = new Map(candidates.map((name) => [name, picked.includes(name)]));
  reopen({ ...draft, ticks: { ...draft.ticks, [what]: ticks } });
}

/** Opens the dialog again with what was chosen before. */
export function cancelStep(step: TrainingStep): void {
  if (step.kind === "preview") documentActions.undo();
  reopen(step.draft);
}

/** Adds what trains the graph, shows the whole of it and says what came of it. @returns why that cannot be done */
export function addTraining(made: Trainable, steps: number): string | undefined {
  if (!documentActions.makeTrainable(made, steps)) return documentActions.takeRefusal();
  uiActions.close();
  graphViewActions.fitNext();
  const message = words.added({
    count: made.added.length,
    scope: trainingScope(made),
    configuration: useDocument.getState().document.runConfig.name,
  });
  showNotice({ kind: "info", key: NOTICE, session: activeSession(), problem: { code: "OK", message } });
  return undefined;
}

/** Adds what trains the graph and shows it, to be kept or taken back. @returns why that cannot be done */
export function previewOnCanvas(made: Trainable, steps: number, draft: TrainingDraft): string | undefined {
  if (!documentActions.makeTrainable(made, steps)) return documentActions.takeRefusal();
  uiActions.close();
  const { nodes } = useDocument.getState().document;
  // Its scope opens.
  graphViewActions.uncover([made.plan.init]);
  if (made.added.length <= MOST_SELECTED) documentActions.select(made.added.map(({ name }) => name));
  useTrainingSetup.setState({
    step: { kind: "preview", nodes, added: made.added.length, scope: trainingScope(made), draft },
  });
  return undefined;
}

/** The graph stays as it was previewed. */
export function keepPreview(): void {
  useTrainingSetup.setState({ step: undefined });
}
