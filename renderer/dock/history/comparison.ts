/** One or two runs as rows of a table: what they were asked to do, what they took, and what they gave. */
import type { RunSummary } from "../../../main/api/run-history.js";
import type { NodeRun, RunUpdate } from "../../../main/api/runs.js";
import { paused, type Sliced } from "../../../worker-runtime/graph/slices.js";
import { taskNameOfDevice } from "../../cluster/task-name.js";
import { slicedSort } from "../../document/sliced-sort.js";
import { texts } from "../../texts/texts.js";
import { durationText, listText, stepText } from "../../ui/format.js";
import { previewText } from "../tensor-text.js";

const words = texts.dock.comparison;
const states = texts.dock.runStateText;

/** A run of the history with what windows were told of it last. */
export interface ShownRun {
  readonly summary: RunSummary;
  readonly update: RunUpdate;
}

export interface ComparisonRow {
  readonly name: string;
  /** One for each run; undefined where the run has none. */
  readonly texts: readonly (string | undefined)[];
  /** The runs are not alike in this. */
  readonly differs: boolean;
  /** The tensor of which the texts are the beginnings. */
  readonly tensor?: string;
}

/** Nodes of a trace that are listed. */
const SLOWEST = 10;

/** The requests for the runs. */
export function settingRows(runs: readonly ShownRun[]): ComparisonRow[] {
  const feeds = namesOf(runs, ({ summary }) => summary.settings.feeds.map(({ name }) => name));
  const digests = runs.map(({ summary }) => summary.origin?.digest);
  return [
    row(words.configuration, runs, ({ summary }) => summary.settings.configuration ?? words.noConfiguration),
    ...(runs.length === 2
      ? [
          {
            name: words.graphAndFeeds,
            texts: [digests[0] === digests[1] ? words.same : words.different, ""],
            differs: digests[0] !== digests[1],
          },
        ]
      : []),
    row(words.steps, runs, ({ summary }) => words.stepOfSteps({ step: summary.step, steps: summary.steps })),
    row(words.fetched, runs, ({ summary }) => shortList(summary.settings.fetches)),
    row(words.run, runs, ({ summary }) => shortList(summary.settings.targets)),
    row(
      words.batches,
      runs,
      ({ summary: { settings } }) => settings.batches && batchesText(settings.batches),
    ),
    ...feeds.map((name) =>
      row(
        words.fed({ name }),
        runs,
        ({ summary }) => summary.settings.feeds.find((feed) => feed.name === name)?.text,
      ),
    ),
  ].filter(({ texts }) => texts.some((text) => text !== undefined));
}

/** The times of the runs, and how they ended. */
export function outcomeRows(runs: readonly ShownRun[]): ComparisonRow[] {
  return [
    row(words.state, runs, ({ summary, update }) => endText(summary, update)),
    row(words.duration, runs, ({ summary }) => durationText(summary.elapsedMillis)),
    row(words.lastStep, runs, ({ update: { step, stepMillis, stepRegisteredGraph } }) =>
      timeOfStep(stepMillis, step, stepRegisteredGraph),
    ),
    row(words.span, runs, ({ update: { tracedStep, computeMillis, tracedStepRegisteredGraph } }) =>
      timeOfStep(computeMillis, tracedStep, tracedStepRegisteredGraph),
    ),
  ].filter(({ texts }) => texts.some((text) => text !== undefined));
}

/** The values of the last step. */
export function valueRows(runs: readonly ShownRun[]): ComparisonRow[] {
  return namesOf(runs, ({ update }) => update.fetches.map(({ name }) => name)).map((name) => ({
    ...row(name, runs, ({ update }) => {
      const tensor = update.fetches.find((fetched) => fetched.name === name);
      return tensor && previewText(tensor);
    }),
    tensor: name,
  }));
}

/** The nodes that took longest in the traced steps, the slowest of either run first. In slices: a step may have very many. */
export function* slicedTraceRows(runs: readonly ShownRun[]): Sliced<ComparisonRow[]> {
  /** In microseconds, of either run. */
  const longest = new Map<string, number>();
  const times: ReadonlyMap<string, NodeRun>[] = [];
  for (const { update } of runs) {
    const nodes = new Map<string, NodeRun>();
    times.push(nodes);
    yield* paused(update.nodes, (run) => {
      nodes.set(run.node, run);
      longest.set(run.node, Math.max(longest.get(run.node) ?? 0, run.durationMicros));
    });
  }
  if (longest.size === 0) return [];
  const sorted = yield* slicedSort([...longest], ([, one], [, other]) => other - one);
  const slowest = sorted.slice(0, SLOWEST).map(([name]) => ({
    name,
    texts: times.map((nodes) => timeText(nodes.get(name))),
    // Times always differ a little; where a node ran is what counts.
    differs: new Set(times.map((nodes) => nodes.get(name)?.device)).size > 1,
  }));
  return [tracedStepRow(runs), ...slowest];
}

/** The steps that the times of nodes are from. They differ if only one of them includes the set-up. */
function tracedStepRow(runs: readonly ShownRun[]): ComparisonRow {
  return {
    name: words.tracedStep,
    texts: runs.map(({ update: { tracedStep, tracedStepRegisteredGraph } }) =>
      tracedStep === undefined ? undefined : stepText(tracedStep, tracedStepRegisteredGraph),
    ),
    differs: new Set(runs.map(({ update }) => update.tracedStepRegisteredGraph === true)).size > 1,
  };
}

/** "24.5 ms, step 500". */
function timeOfStep(millis: number | undefined, step: number | undefined, hasSetUp: boolean | undefined) {
  if (millis === undefined || step === undefined) return undefined;
  return words.timeOfStep({ time: durationText(millis), step: stepText(step, hasSetUp) });
}

function row(
  name: string,
  runs: readonly ShownRun[],
  textOf: (run: ShownRun) => string | number | undefined,
): ComparisonRow {
  const texts = runs.map((run) => textOf(run)?.toString());
  return { name, texts, differs: new Set(texts).size > 1 };
}

/** All names, in the order of the first run that has them. */
function namesOf(runs: readonly ShownRun[], of: (run: ShownRun) => readonly string[]): string[] {
  return [...new Set(runs.flatMap(of))];
}

function shortList(names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined;
  const shown = names.slice(0, 4);
  const more = names.length - shown.length;
  return more > 0 ? words.more({ shown: shown.join(", "), count: more }) : listText(shown);
}

function batchesText({
  size,
  seed,
  epochs,
  dropLast,
}: NonNullable<RunSummary["settings"]["batches"]>): string {
  return [
    words.rows({ size }),
    ...(seed === undefined ? [] : [words.shuffled({ seed })]),
    ...(epochs === undefined ? [] : [words.epochs({ epochs })]),
    ...(dropLast ? [words.lastLeftOut] : []),
  ].join(", ");
}

function endText({ state }: RunSummary, { endedEarly, problem }: RunUpdate): string {
  if (problem) return words.failed({ message: problem.message });
  return endedEarly === undefined
    ? states[state]
    : words.endedEarly({ state: states[state], reason: endedEarly });
}

function timeText(node: NodeRun | undefined): string | undefined {
  if (!node) return undefined;
  const task = taskNameOfDevice(node.device);
  const time = durationText(node.durationMicros / 1000);
  return task === undefined ? time : words.timeOnTask({ time, task });
}
