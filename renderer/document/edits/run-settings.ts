import type { CheckpointPlan } from "../../../main/api/checkpoints.js";
import type { FeedBatches, FeedValue } from "../../../main/api/feeds.js";
import { MAX_STOP_CONDITIONS, type StopCondition } from "../../../main/api/runs.js";
import { texts } from "../../texts/texts.js";
import type { GraphDocument, RunConfig } from "../model.js";
import { type EditResult, edit, refused } from "./types.js";

const words = texts.document.edits.runSettings;

function change(document: GraphDocument, label: string, after: RunConfig): EditResult {
  return edit({ label, operations: [{ type: "run-config", before: document.runConfig, after }] });
}

/** Feeds a tensor or, with undefined, removes its feed. */
export function setFeed(document: GraphDocument, tensor: string, value: FeedValue | undefined): EditResult {
  const feeds = { ...document.runConfig.feeds };
  if (value) feeds[tensor] = value;
  else if (tensor in feeds) delete feeds[tensor];
  else return refused(words.notFed);
  const label = value ? words.feed({ tensor }) : words.stopFeeding({ tensor });
  return change(document, label, { ...document.runConfig, feeds });
}

/** The nodes that are fetched, and those that are run for their effect. */
type Choice = Pick<RunConfig, "fetches" | "targets">;

/**
 * Turns the fetching of a tensor on or off.
 * @param present what a run currently fetches and runs; the suggestion if nothing was chosen
 */
export function toggleFetch(
  document: GraphDocument,
  tensor: string,
  present: Choice = document.runConfig,
): EditResult {
  const on = present.fetches.includes(tensor);
  const fetches = on ? present.fetches.filter((name) => name !== tensor) : [...present.fetches, tensor];
  return chooseRun(document, { ...present, fetches }, (on ? words.stopFetching : words.fetch)({ tensor }));
}

/** Turns the running of an operation for its effect on or off. */
export function toggleTarget(
  document: GraphDocument,
  node: string,
  present: Choice = document.runConfig,
): EditResult {
  const on = present.targets.includes(node);
  const targets = on ? present.targets.filter((name) => name !== node) : [...present.targets, node];
  return chooseRun(document, { ...present, targets }, (on ? words.doNotRun : words.run)({ node }));
}

/** Makes a run fetch these tensors and run these operations. */
export function chooseRun(document: GraphDocument, { fetches, targets }: Choice, label: string): EditResult {
  if (fetches.length + targets.length === 0) {
    return refused(words.nothingLeft);
  }
  return change(document, label, { ...document.runConfig, fetches, targets });
}

/** Restores the default of what a run does. */
export function resetRun(document: GraphDocument): EditResult {
  const { fetches, targets } = document.runConfig;
  if (fetches.length + targets.length === 0) return refused(words.notChosen);
  return change(document, words.reset, { ...document.runConfig, fetches: [], targets: [] });
}

/** How long a run goes on. */
export function setSteps(document: GraphDocument, steps: number): EditResult {
  if (steps === document.runConfig.steps) return refused(texts.document.edits.common.sameNumber);
  return change(document, words.steps, { ...document.runConfig, steps });
}

/** Traces one in so many steps; undefined: only as the window chooses. */
export function setTraceEvery(document: GraphDocument, every: number | undefined): EditResult {
  const { traceEvery: before, ...rest } = document.runConfig;
  if (every === before) return refused(texts.document.edits.common.sameNumber);
  const after = every === undefined ? { ...rest, trace: false } : { ...rest, trace: true, traceEvery: every };
  return change(document, words.traced, after);
}

/** How batched feeds are divided over the steps. */
export function setBatches(document: GraphDocument, batches: FeedBatches): EditResult {
  return change(document, words.batches, { ...document.runConfig, batches });
}

/** The conditions that end a run early. */
export function setStops(document: GraphDocument, stops: readonly StopCondition[]): EditResult {
  if (stops.length > MAX_STOP_CONDITIONS) {
    return refused(words.tooManyStops({ count: MAX_STOP_CONDITIONS }));
  }
  return change(document, words.stops, { ...document.runConfig, stops });
}

/** How often checkpoints are saved; undefined: only when one is asked for. */
export function setCheckpoints(document: GraphDocument, checkpoints: CheckpointPlan | undefined): EditResult {
  const { checkpoints: _, ...rest } = document.runConfig;
  return change(document, words.checkpoints, checkpoints ? { ...rest, checkpoints } : rest);
}

/** How the model is evaluated between the steps; undefined: not at all. */
export function setEvaluation(document: GraphDocument, evaluation: RunConfig["evaluation"]): EditResult {
  const { evaluation: _, ...rest } = document.runConfig;
  return change(document, words.evaluation, evaluation ? { ...rest, evaluation } : rest);
}
