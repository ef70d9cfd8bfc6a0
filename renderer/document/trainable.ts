/** The ways to train a graph: its losses, and how several workers can share it. Pure. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { isVariable } from "../../worker-runtime/graph/initialisers.js";
import type { Trainable } from "../../worker-runtime/graph/training/trainable/make-trainable.js";
import type { Scheme } from "../../worker-runtime/graph/training/trainable/plan.js";
import { outputType } from "./follow-types.js";
import type { GraphDocument } from "./model.js";
import { scopeName } from "./scope-tree.js";
import type { ShapeMap } from "./shapes.js";
import { type OpLookup, signatureOf } from "./signature.js";
import { tensorName } from "./tensor-names.js";
import { wiringOf } from "./wiring.js";

const FLOATS: ReadonlySet<DataType> = new Set([
  ...[DataType.DT_FLOAT, DataType.DT_DOUBLE, DataType.DT_HALF, DataType.DT_BFLOAT16],
]);

/** Ops whose results are given, not computed. */
const GIVEN = /^(Const|Variable(V2)?|VarHandleOp|ReadVariableOp|Placeholder\w*)$/;

/** Ops that give variables a value: first ones, and those of a step of training. */
const UPDATE = /^(Assign|(Resource)?(Sparse)?Apply)/;
/** The scope that TensorFlow gives to the gradients of a loss. */
const GRADIENTS = /(^|\/)gradients(_\d+)?\//;

/**
 * Scalars of floats that are computed from variables, by name, but for gradients and what only gives variables a value. Those
 * that nothing reads come first, the newest of them leading. In a graph without variables, all scalars of floats.
 */
export function lossesOf(
  { nodes }: Pick<GraphDocument, "nodes">,
  lookup: OpLookup,
  shapes: ShapeMap,
): string[] {
  const { outgoing } = wiringOf(nodes);
  const computed = computedFromVariables(nodes);
  const isLoss = ({ name, op }: NodeDef) =>
    computed.size === 0 ||
    (computed.has(name) &&
      !UPDATE.test(op) &&
      !GRADIENTS.test(name) &&
      !isReadOfVariable(nodes, name) &&
      !onlyUpdates(nodes, name));
  const ends: string[] = [];
  const others: string[] = [];
  for (const node of nodes.values()) {
    if (!isLoss(node)) continue;
    for (const index of lossOutputs(nodes, lookup, shapes, node)) {
      const isRead = outgoing.get(node.name)?.some(({ output }) => output === index);
      (isRead ? others : ends).unshift(tensorName(node.name, index));
    }
  }
  return [...ends, ...others];
}

/** The nodes that depend on a variable, and the variables. */
function computedFromVariables(nodes: ReadonlyMap<string, NodeDef>): ReadonlySet<string> {
  const { outgoing } = wiringOf(nodes);
  const found = new Set<string>();
  const next = [...nodes.values()].filter(isVariable).map(({ name }) => name);
  for (let name = next.pop(); name !== undefined; name = next.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    for (const { to, output } of outgoing.get(name) ?? []) if (output >= 0) next.push(to);
  }
  return found;
}

/** True for a node that only hands on the value of a variable. */
function isReadOfVariable(nodes: ReadonlyMap<string, NodeDef>, name: string): boolean {
  const { incoming } = wiringOf(nodes);
  let node = nodes.get(name);
  while (node?.op === "Identity") node = nodes.get(incoming.get(node.name)?.[0]?.from ?? "");
  return node !== undefined && GIVEN.test(node.op);
}

/** True if all that reads a node gives variables a value. */
function onlyUpdates(nodes: ReadonlyMap<string, NodeDef>, name: string): boolean {
  const readers = wiringOf(nodes).outgoing.get(name) ?? [];
  return readers.length > 0 && readers.every(({ to }) => UPDATE.test(nodes.get(to)?.op ?? ""));
}

/** The scope of the nodes that train a graph: "train", or another name where the graph has one of that name. */
export function trainingScope({ plan }: Pick<Trainable, "plan">): string {
  return scopeName(plan.init);
}

/** Whether a node computes a scalar of floats. */
export function computesLoss(
  { nodes }: Pick<GraphDocument, "nodes">,
  lookup: OpLookup,
  shapes: ShapeMap,
  name: string,
): boolean {
  const node = nodes.get(name);
  return node !== undefined && lossOutputs(nodes, lookup, shapes, node).length > 0;
}

function lossOutputs(
  nodes: ReadonlyMap<string, NodeDef>,
  lookup: OpLookup,
  shapes: ShapeMap,
  node: NodeDef,
): number[] {
  if (GIVEN.test(node.op)) return [];
  return [...(signatureOf(node, lookup)?.outputs.keys() ?? [])].filter(
    (index) =>
      shapes.outputs.get(node.name)?.[index]?.length === 0 &&
      FLOATS.has(outputType(nodes, lookup, node.name, index)),
  );
}

/** The loss to begin with: of the given node, else one that is named so, else the first. */
export function firstLoss(losses: readonly string[], node: string | undefined): string | undefined {
  const of = losses.find((name) => name === node || name.startsWith(`${node}:`));
  return of ?? losses.find((name) => /loss|cost/i.test(name)) ?? losses[0];
}

/** Why a scheme does not suit; "uneven" with the sizes that cannot be divided. */
export type SchemeProblem =
  | { readonly kind: "one-worker" | "no-batch" | "mixed-types" | "unknown-size" }
  | { readonly kind: "uneven"; readonly rows: number; readonly workers: number };

export interface SchemeFacts {
  readonly workers: number;
  /** Rows of each tensor that holds examples; undefined if only known in a run. */
  readonly batch: readonly (number | undefined)[];
  /** The dtypes of the variables to train; undefined for an unknown one. */
  readonly dtypes: readonly (string | undefined)[];
  /** Bytes of the variables to train; undefined for an unknown one. */
  readonly sizes: readonly (number | undefined)[];
}

/** Undefined if the scheme suits. */
export function schemeProblem(scheme: Scheme, facts: SchemeFacts): SchemeProblem | undefined {
  const { workers, batch, dtypes, sizes } = facts;
  if (scheme === "single") return undefined;
  if (workers < 2) return { kind: "one-worker" };
  if (scheme === "async") return undefined;
  if (scheme === "sync") return sizes.includes(undefined) ? { kind: "unknown-size" } : undefined;
  if (batch.length === 0) return { kind: "no-batch" };
  const uneven = batch.find((rows) => rows !== undefined && rows % workers !== 0);
  if (uneven !== undefined) return { kind: "uneven", rows: uneven, workers };
  if (scheme !== "ring") return undefined;
  if (sizes.includes(undefined)) return { kind: "unknown-size" };
  return new Set(dtypes).size > 1 ? { kind: "mixed-types" } : undefined;
}

/**
 * The bytes that each worker sends in a step, by the sizes of the gradients; undefined where sizes are unknown or nothing is
 * sent.
 */
export function bytesSent(scheme: Scheme, { workers, sizes }: SchemeFacts): number | undefined {
  if (scheme === "single" || workers < 2) return undefined;
  let total = 0;
  for (const size of sizes) {
    if (size === undefined) return undefined;
    total += size;
  }
  return scheme === "ring" ? (2 * (workers - 1) * total) / workers : total;
}
