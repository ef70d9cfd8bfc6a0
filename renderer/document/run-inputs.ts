/** What a run of the document feeds and fetches, and what keeps it from running. */
import type { Problem } from "../../main/api/problem.js";
import type { FeedValue } from "../../main/api/runs.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { isInitialiser } from "./initialisers.js";
import type { GraphDocument } from "./model.js";
import type { ProblemMap } from "./problems.js";
import type { ShapeMap } from "./shapes.js";
import { type OpLookup, signatureOf } from "./signature.js";
import { parseTensorName, tensorName } from "./tensor-names.js";
import { ancestors, wiringOf } from "./wiring.js";

export interface RunInputs {
  readonly feeds: { name: string; value: FeedValue }[];
  readonly fetches: string[];
  readonly targets: string[];
}

/** A graph of up to this many nodes also shows the small tensors on the way, so that every node gets its value. */
const MAX_WATCHED_NODES = 40;
const MAX_WATCHED_ELEMENTS = 64;

const UNFETCHABLE: ReadonlySet<DataType> = new Set([
  DataType.DT_RESOURCE,
  DataType.DT_VARIANT,
  DataType.DT_INVALID,
]);

/**
 * The run configuration where it says something; otherwise the outputs that nothing consumes. Where there are none,
 * the ops that nothing depends on are run for their effect.
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
  const fetches = chosenFetches(document, lookup);
  const targets = runConfig.targets.filter((name) => nodes.has(name));
  if (fetches.length + targets.length === 0) targets.push(...lastOps(document));
  if (watch && nodes.size <= MAX_WATCHED_NODES) {
    const roots = [...fetches.map((name) => parseTensorName(name).node), ...targets];
    const needed = ancestors(nodes, roots);
    for (const name of smallOutputs(document, lookup, shapes, needed)) {
      if (!fetches.includes(name)) fetches.push(name);
    }
  }
  return { feeds, fetches, targets };
}

/** What was chosen to be fetched; where nothing was, the outputs that nothing consumes. */
export function chosenFetches(document: GraphDocument, lookup: OpLookup): string[] {
  const { fetches, targets } = document.runConfig;
  const chosen = fetches.filter((name) => document.nodes.has(parseTensorName(name).node));
  const anyTarget = targets.some((name) => document.nodes.has(name));
  return chosen.length > 0 || anyTarget ? chosen : openOutputs(document, lookup);
}

/** Outputs of nodes that nothing depends on, without placeholders that have no feed and first values of variables. */
export function openOutputs(document: GraphDocument, lookup: OpLookup): string[] {
  const wiring = wiringOf(document.nodes);
  const result: string[] = [];
  for (const node of document.nodes.values()) {
    // A node that others merely wait for, such as the initialiser of a variable, is not to be run on its own, and an
    // unread output beside others that are read is not what the graph is for.
    if (wiring.outgoing.has(node.name) || isInitialiser(document.nodes, node.name)) continue;
    for (const { index, dtype } of signatureOf(node, lookup)?.outputs ?? []) {
      const name = tensorName(node.name, index);
      if (UNFETCHABLE.has(dtype)) continue;
      if (node.op === "Placeholder" && !(name in document.runConfig.feeds)) continue;
      result.push(name);
    }
  }
  return result;
}

function lastOps(document: GraphDocument): string[] {
  const { outgoing } = wiringOf(document.nodes);
  return [...document.nodes.values()]
    .filter(({ name, op }) => !outgoing.has(name) && op !== "Placeholder")
    .map(({ name }) => name);
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

/** Placeholders that a run of these fetches and targets needs and that have no feed. */
function unfed(document: GraphDocument, inputs: RunInputs): string[] {
  const fed = new Set(inputs.feeds.map(({ name }) => parseTensorName(name).node));
  return [...needed(document, inputs)].filter(
    (name) => document.nodes.get(name)?.op === "Placeholder" && !fed.has(name),
  );
}

function needed(document: GraphDocument, inputs: RunInputs): Set<string> {
  const roots = [...inputs.fetches.map((name) => parseTensorName(name).node), ...inputs.targets];
  return ancestors(document.nodes, roots);
}

/** Everything that keeps a run from starting; empty when it can. */
export function runBlockers(document: GraphDocument, problems: ProblemMap, inputs: RunInputs): Problem[] {
  if (inputs.fetches.length === 0 && inputs.targets.length === 0) {
    return [
      {
        code: "INVALID_ARGUMENT",
        message: "There is nothing to run.",
        reason: "The graph has no output that could be fetched.",
        remedy: "Add ops from the Ops tab, or open a graph.",
      },
    ];
  }
  const blockers: Problem[] = [];
  for (const name of needed(document, inputs)) blockers.push(...(problems.get(name) ?? []));
  for (const node of unfed(document, inputs)) {
    blockers.push({
      code: "INVALID_ARGUMENT",
      node,
      message: `The placeholder ${node} has no value.`,
      remedy: `Select ${node} and type a value, or choose a .npy or CSV file.`,
    });
  }
  return blockers;
}
