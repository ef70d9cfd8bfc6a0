/** The feeds and fetches of a run of the document, and the problems that keep it from running. */

import type { FeedValue } from "../../main/api/feeds.js";
import type { Problem } from "../../main/api/problem.js";
import type { StopCondition } from "../../main/api/runs.js";
import type { OpDef } from "../../protos/generated/tensorflow/op_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { indexOf, neededFor, readersOf, sourcesOf } from "../../worker-runtime/graph/graph-index.js";
import { type ChoiceOrigin, type RunChoice, slicedChoice } from "../../worker-runtime/graph/run-choice.js";
import { atOnce, type Sliced } from "../../worker-runtime/graph/slices.js";
import { texts } from "../texts/texts.js";
import type { GraphDocument, RunConfig } from "./model.js";
import { circleProblems, type ProblemMap } from "./problems.js";
import type { ShapeMap } from "./shapes.js";
import { type OpLookup, signatureOf } from "./signature.js";
import { parseTensorName, tensorName } from "./tensor-names.js";

const words = texts.document.runInputs;

export interface RunInputs {
  readonly feeds: { name: string; value: FeedValue }[];
  readonly fetches: string[];
  readonly targets: string[];
}

/** A graph of up to this many nodes also fetches small intermediate tensors, so every node shows its value. */
const MAX_WATCHED_NODES = 40;
const MAX_WATCHED_ELEMENTS = 64;

const UNFETCHABLE: ReadonlySet<DataType> = new Set([
  DataType.DT_RESOURCE,
  DataType.DT_VARIANT,
  DataType.DT_INVALID,
]);

/**
 * The run configuration if it is set, otherwise the result of suggestRun. A run of several steps also fetches what its
 * stop conditions read.
 *
 * @param watch true: small tensors on the way are fetched as well (only sensible for single steps)
 */
export function runInputs(
  document: GraphDocument,
  lookup: OpLookup,
  shapes: ShapeMap,
  watch: boolean,
): RunInputs {
  const { runConfig, nodes } = document;
  const feeds = Object.entries(runConfig.feeds)
    .filter(([name]) => nodes.has(parseTensorName(name).node))
    .map(([name, value]) => ({ name, value }));
  const chosen = chosenRun(document, lookup);
  const fetches = [...chosen.fetches];
  const targets = [...chosen.targets];
  if (!watch) {
    const evaluated = evaluationOf(document)?.fetches ?? [];
    for (const { tensor } of usableStops(document))
      if (!fetches.includes(tensor) && !evaluated.includes(tensor)) fetches.push(tensor);
  }
  if (watch && nodes.size <= MAX_WATCHED_NODES) {
    const roots = [...fetches.map((name) => parseTensorName(name).node), ...targets];
    const needed = neededFor(indexOf(nodes), roots, new Set(Object.keys(runConfig.feeds)));
    for (const name of smallOutputs(document, lookup, shapes, needed)) {
      if (!fetches.includes(name)) fetches.push(name);
    }
  }
  return { feeds, fetches, targets };
}

/** The configuration by which the chosen one evaluates its model, with the tensors that the graph still has. */
export function evaluationOf({ runConfig, otherRuns, nodes }: GraphDocument): RunConfig | undefined {
  const config = otherRuns.find(({ name }) => name === runConfig.evaluation?.configuration);
  const fetches = config?.fetches.filter((name) => nodes.has(parseTensorName(name).node)) ?? [];
  return config && fetches.length > 0 ? { ...config, fetches } : undefined;
}

/** Whether some feeds are taken from their files in batches. */
export function hasBatches(feeds: RunConfig["feeds"]): boolean {
  return Object.values(feeds).some((feed) => feed.kind !== "literal" && feed.batched === true);
}

/** The conditions that end a run early, of tensors that the graph still has. */
export function usableStops({ runConfig, nodes }: GraphDocument): StopCondition[] {
  return runConfig.stops.filter(({ tensor }) => nodes.has(parseTensorName(tensor).node));
}

/** The fetches and targets of a run, and why. */
export interface ChosenRun {
  readonly fetches: readonly string[];
  readonly targets: readonly string[];
  /** "user": set in the run configuration. */
  readonly origin: ChoiceOrigin | "user";
  /** The signature that a suggestion uses. */
  readonly signature?: string;
}

/** The names of the run configuration that the graph still has; if there are none, the suggestion. */
export function chosenRun(document: GraphDocument, lookup: OpLookup): ChosenRun {
  const { nodes, runConfig } = document;
  const fetches = runConfig.fetches.filter((name) => nodes.has(parseTensorName(name).node));
  const targets = runConfig.targets.filter((name) => nodes.has(name));
  if (fetches.length + targets.length > 0) return { fetches, targets, origin: "user" };
  return suggestedRun(document, lookup);
}

interface Remembered {
  readonly metaGraph: GraphDocument["metaGraph"];
  readonly feeds: GraphDocument["runConfig"]["feeds"];
  readonly scopes: readonly string[];
  /** Stands for the list of ops, which may come after the document. */
  readonly noOp: OpDef | undefined;
  readonly choice: RunChoice;
}

/** Many parts of the window ask for it after each change. */
const remembered = new WeakMap<GraphDocument["nodes"], Remembered>();

/** The nodes that are run if the run configuration is empty. */
export function suggestedRun(document: GraphDocument, lookup: OpLookup): RunChoice {
  return atOnce(slicedSuggestion(document, lookup));
}

/** As `suggestedRun`, in slices. */
export function* slicedSuggestion(document: GraphDocument, lookup: OpLookup): Sliced<RunChoice> {
  const { nodes, metaGraph, runConfig } = document;
  const { feeds } = runConfig;
  const noOp = lookup("NoOp");
  const scopes = trainingScopes(document);
  const known = remembered.get(nodes);
  if (
    known?.metaGraph === metaGraph &&
    known.feeds === feeds &&
    known.noOp === noOp &&
    known.scopes.join() === scopes.join()
  ) {
    return known.choice;
  }
  const choice = yield* slicedChoice({
    nodes: withoutScopes(nodes, scopes),
    notes: metaGraph,
    library: metaGraph.graphDef?.library?.function ?? [],
    opDef: lookup,
    fed: new Set(Object.keys(feeds)),
  });
  remembered.set(nodes, { metaGraph, feeds, scopes, noOp, choice });
  return choice;
}

/**
 * The scopes of what *Make trainable* has added. Only the run configuration that came with them runs it: what the others
 * run stays the same.
 */
function trainingScopes({ runConfig, otherRuns }: GraphDocument): readonly string[] {
  const plans = [runConfig, ...otherRuns].flatMap(({ training }) => training ?? []);
  return [...new Set(plans.map(({ train }) => train.slice(0, train.indexOf("/") + 1)))].filter(Boolean);
}

function withoutScopes(nodes: GraphDocument["nodes"], scopes: readonly string[]): GraphDocument["nodes"] {
  if (scopes.length === 0) return nodes;
  return new Map([...nodes].filter(([name]) => !scopes.some((scope) => name.startsWith(scope))));
}

function smallOutputs(
  document: GraphDocument,
  lookup: OpLookup,
  shapes: ShapeMap,
  needed: ReadonlySet<string>,
): string[] {
  const result: string[] = [];
  for (const node of document.nodes.values()) {
    const { name } = node;
    if (!needed.has(name) || node.op === "Placeholder" || node.op === "Const") continue;
    const signature = signatureOf(node, lookup);
    if (!signature || signature.opDef.isStateful) continue;
    for (const { index, dtype, isRef } of signature.outputs) {
      const shape = shapes.outputs.get(name)?.[index];
      if (!shape || isRef || UNFETCHABLE.has(dtype) || shape.some((size) => size < 0)) continue;
      if (shape.reduce((product, size) => product * size, 1) <= MAX_WATCHED_ELEMENTS) {
        result.push(tensorName(name, index));
      }
    }
  }
  return result;
}

/** The placeholders that a run of these fetches and targets needs, in the order of the graph. */
export function neededPlaceholders(document: GraphDocument, inputs: Roots): string[] {
  const needed = needs(document, inputs);
  return [...document.nodes.values()].flatMap(({ name, op }) =>
    op === "Placeholder" && needed.has(name) ? [name] : [],
  );
}

/** The queues that a run dequeues from but never enqueues to: it waits until something else does. */
export function waitedQueues(document: GraphDocument, run: Pick<ChosenRun, "fetches" | "targets">): string[] {
  const index = indexOf(document.nodes);
  const needed = needs(document, run);
  const queues = new Set<string>();
  for (const name of needed) {
    if (!document.nodes.get(name)?.op.startsWith("QueueDequeue")) continue;
    const queue = sourcesOf(index, name)[0]?.node;
    if (queue === undefined) continue;
    const fillers = readersOf(index, queue).filter(({ node }) =>
      document.nodes.get(node)?.op.startsWith("QueueEnqueue"),
    );
    if (fillers.length > 0 && !fillers.some(({ node }) => needed.has(node))) queues.add(queue);
  }
  return [...queues];
}

/** The nodes that are run, and the tensors that are fed values of an earlier run for them. */
type Roots = Pick<ChosenRun, "fetches" | "targets"> & {
  readonly reused?: { readonly names: readonly string[] } | undefined;
};
export type BlockedInputs = Roots & Pick<RunInputs, "feeds">;

/** The nodes that run: none that only fed tensors need. A placeholder that is fed itself counts. */
function needs(document: GraphDocument, { fetches, targets, reused }: Roots) {
  const roots = [...fetches.map((name) => parseTensorName(name).node), ...targets];
  const inner = Object.keys(document.runConfig.feeds).filter(
    (name) => document.nodes.get(parseTensorName(name).node)?.op !== "Placeholder",
  );
  return neededFor(indexOf(document.nodes), roots, new Set([...inner, ...(reused?.names ?? [])]));
}

/** Everything that keeps a run from starting; empty when it can. */
export function runBlockers(document: GraphDocument, problems: ProblemMap, inputs: BlockedInputs): Problem[] {
  if (inputs.fetches.length === 0 && inputs.targets.length === 0) {
    // A graph that ends in a circle has no end that could be run.
    const circle = circleProblems(problems);
    if (circle.length > 0) return circle;
    return [
      {
        code: "INVALID_ARGUMENT",
        message: words.nothingToRun,
        ...(document.nodes.size === 0 ? words.emptyGraph : words.onlyEffects),
      },
    ];
  }
  const blockers: Problem[] = [];
  for (const name of needs(document, inputs)) blockers.push(...(problems.get(name) ?? []));
  const fed = new Set(inputs.feeds.map(({ name }) => parseTensorName(name).node));
  for (const node of neededPlaceholders(document, inputs)) {
    if (fed.has(node)) continue;
    blockers.push({
      code: "INVALID_ARGUMENT",
      node,
      message: words.notFed.message({ node }),
      remedy: words.notFed.remedy({ node }),
    });
  }
  return blockers;
}
