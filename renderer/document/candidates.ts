/** The ports to which a pulled edge could be connected: inputs and outputs that exist, then ops that could be added. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { OpDef, OpDef_ArgDef } from "../../protos/generated/tensorflow/op_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { dtypeName } from "../../worker-runtime/protocol/dtype.js";
import { texts } from "../texts/texts.js";
import type { ConnectFrom } from "./edits/add.js";
import { type InputEnd, type OutputEnd, whyNotConnect } from "./edits/connect.js";
import { outputType } from "./follow-types.js";
import { type GraphDocument, MISSING_INPUT } from "./model.js";
import { type ShapeMap, shapeText } from "./shapes.js";
import { allowedTypes, dataInputs, type OpLookup, signatureOf } from "./signature.js";

const words = texts.document.candidates;

export interface ExistingEnd {
  readonly from: OutputEnd;
  readonly to: InputEnd;
  /** The node at the other end, and its port. */
  readonly node: string;
  readonly port: string;
  readonly free: boolean;
}

export interface OpCandidate {
  readonly op: string;
  /** The argument that the edge would be connected to: "a". */
  readonly port: string;
}

const MAX_EXISTING = 50;

/** Ports of the graph that fit: inputs without a producer first, then by name. */
export function existingEnds(document: GraphDocument, lookup: OpLookup, held: ConnectFrom): ExistingEnd[] {
  const result: ExistingEnd[] = [];
  for (const node of document.nodes.values()) {
    if (node.name === held.end.node) continue;
    if (held.type === "output") result.push(...inputsFor(document, lookup, held.end, node));
    else result.push(...outputsFor(document, lookup, held.end, node));
  }
  return result.sort((one, other) => Number(other.free) - Number(one.free)).slice(0, MAX_EXISTING);
}

function inputsFor(document: GraphDocument, lookup: OpLookup, from: OutputEnd, node: NodeDef): ExistingEnd[] {
  if (from.output < 0) {
    const to: InputEnd = { node: node.name, input: "control" };
    if (whyNotConnect(document, lookup, from, to) !== undefined) return [];
    return [{ from, to, node: node.name, port: words.runsAfter, free: true }];
  }
  const texts = dataInputs(node);
  return (signatureOf(node, lookup)?.inputs ?? []).flatMap(({ index, label }): ExistingEnd[] => {
    const to: InputEnd = { node: node.name, input: index };
    if (whyNotConnect(document, lookup, from, to) !== undefined) return [];
    const free = (texts[index] ?? MISSING_INPUT) === MISSING_INPUT;
    return [{ from, to, node: node.name, port: label, free }];
  });
}

function outputsFor(document: GraphDocument, lookup: OpLookup, to: InputEnd, node: NodeDef): ExistingEnd[] {
  if (to.input === "control") {
    const from: OutputEnd = { node: node.name, output: -1 };
    if (whyNotConnect(document, lookup, from, to) !== undefined) return [];
    return [{ from, to, node: node.name, port: words.runsBefore, free: true }];
  }
  return (signatureOf(node, lookup)?.outputs ?? []).flatMap(({ index, label }): ExistingEnd[] => {
    const from: OutputEnd = { node: node.name, output: index };
    if (whyNotConnect(document, lookup, from, to) !== undefined) return [];
    return [{ from, to, node: node.name, port: label, free: true }];
  });
}

/** The dtype of the held end; DT_INVALID for a control edge or if it is undetermined. */
export function heldType(document: GraphDocument, lookup: OpLookup, held: ConnectFrom): DataType {
  if (held.type === "output") return outputType(document.nodes, lookup, held.end.node, held.end.output);
  const node = document.nodes.get(held.end.node);
  const input = held.end.input;
  const slot = node && typeof input === "number" ? signatureOf(node, lookup)?.inputs[input] : undefined;
  return slot?.dtype ?? DataType.DT_INVALID;
}

/** "float32 [?,256]". */
export function heldText(
  document: GraphDocument,
  lookup: OpLookup,
  shapes: ShapeMap,
  held: ConnectFrom,
): string {
  const dtype = heldType(document, lookup, held);
  if (dtype === DataType.DT_INVALID) return "";
  const shape = held.type === "output" ? shapeText(shapes.outputs.get(held.end.node)?.[held.end.output]) : "";
  return `${dtypeName(dtype)} ${shape}`.trim();
}

/** The first argument of an op that the held end fits, or undefined. */
export function fittingArg(
  opDef: OpDef,
  dtype: DataType,
  held: ConnectFrom["type"],
): OpDef_ArgDef | undefined {
  const args = held === "output" ? opDef.inputArg : opDef.outputArg;
  return args.find((arg) => {
    if (arg.isRef) return false;
    if (dtype === DataType.DT_INVALID) return true;
    if (arg.type !== DataType.DT_INVALID) return arg.type === dtype;
    return allowedTypes(opDef, arg.typeAttr || arg.typeListAttr)?.includes(dtype) ?? true;
  });
}

/** Those of the ops of which an output fits the input as well: that can be inserted on an edge. */
export function insertable(
  document: GraphDocument,
  lookup: OpLookup,
  candidates: readonly OpCandidate[],
  end: InputEnd,
): OpCandidate[] {
  const dtype = heldType(document, lookup, { type: "input", end });
  return candidates.filter(({ op }) => {
    const opDef = lookup(op);
    return opDef !== undefined && fittingArg(opDef, dtype, "input") !== undefined;
  });
}

/** Ops that are used most in graphs made by hand, most used first. */
const COMMON = [
  "MatMul",
  "AddV2",
  "Mul",
  "Sub",
  "BiasAdd",
  "Relu",
  "Sum",
  "Mean",
  "Softmax",
  "Identity",
  "Reshape",
  "Cast",
  "Pack",
  "ConcatV2",
  "Split",
  "Neg",
  "Square",
  "Exp",
  "Log",
  "Sigmoid",
  "Tanh",
  "RealDiv",
  "Maximum",
  "Minimum",
  "ArgMax",
  "Transpose",
  "Conv2D",
  "MaxPool",
  "AddN",
  "Greater",
  "Equal",
  "Assign",
  "AssignAdd",
  "Const",
  "Placeholder",
];

/**
 * Ops that fit, those the graph already uses first, then common ones, then the rest by name.
 *
 * @param held the end to connect the op to; undefined: none, so every op fits
 */
export function opCandidates(
  document: GraphDocument,
  lookup: OpLookup,
  names: Iterable<string>,
  held: ConnectFrom | undefined,
): { readonly fitting: OpCandidate[]; readonly others: number } {
  const dtype = held ? heldType(document, lookup, held) : DataType.DT_INVALID;
  const control = held?.type === "output" ? held.end.output < 0 : held?.end.input === "control";
  const uses = new Map<string, number>();
  for (const { op } of document.nodes.values()) uses.set(op, (uses.get(op) ?? 0) + 1);
  const fitting: OpCandidate[] = [];
  let others = 0;
  for (const op of names) {
    const opDef = lookup(op);
    if (!opDef || opDef.deprecation) continue;
    const arg = control || !held ? undefined : fittingArg(opDef, dtype, held.type);
    if (!held) fitting.push({ op, port: "" });
    else if (control) fitting.push({ op, port: held.type === "output" ? words.runsAfter : words.runsBefore });
    else if (arg) fitting.push({ op, port: arg.name });
    else others++;
  }
  const rank = (op: string) => {
    const common = COMMON.indexOf(op);
    return (uses.get(op) ?? 0) * -1000 + (common < 0 ? COMMON.length : common);
  };
  fitting.sort((one, other) => rank(one.op) - rank(other.op) || (one.op < other.op ? -1 : 1));
  return { fitting, others };
}
