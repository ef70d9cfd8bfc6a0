/**
 * The facts about the outputs of a node that calls functions of the library: inferred by going through their bodies with
 * what is known of the arguments. Functions that call themselves, deep chains of calls and bodies that together are too
 * large are left unknown, so that no graph takes long.
 */
import type { FunctionDef } from "../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { partialShapeFromProto } from "../../worker-runtime/graph/shape.js";
import type { OutputFacts } from "../../worker-runtime/graph/shape-context.js";
import { structureOf } from "../../worker-runtime/graph/structural-ops.js";
import { nameOf } from "./library.js";
import type { OpLookup } from "./signature.js";

type Facts = readonly OutputFacts[];

/** The facts about an argument; `constant`: the Const that it is read from. */
export interface Argument extends OutputFacts {
  readonly constant?: NodeDef;
}
type Arguments = readonly Argument[];
type MaybeShape = OutputFacts["shape"];

/** How far the inference behind one node has gone. */
export interface CallState {
  /** Names of the functions that it is within. */
  readonly within: ReadonlySet<string>;
  /** Nodes of bodies that may still be visited, and how often a body was not gone through. */
  readonly left: { nodes: number; cuts: number };
  /** Every function that the result depends on, as it was; undefined: the library lacked it. */
  readonly used: Map<string, FunctionDef | undefined>;
}

const MAX_DEPTH = 32;
const MAX_NODES = 50_000;

export function callState(): CallState {
  return { within: new Set(), left: { nodes: MAX_NODES, cuts: 0 }, used: new Map() };
}

/** The facts about a function's results when it is called with arguments; undefined if it was not gone through. */
export type InferBody = (definition: FunctionDef, args: Arguments, state: CallState) => Facts | undefined;

/** The state within a function; undefined if it is not to be gone through. */
export function enter(definition: FunctionDef, nodes: number, state: CallState): CallState | undefined {
  const name = nameOf(definition);
  const { within, left } = state;
  if (within.has(name) || within.size >= MAX_DEPTH || left.nodes < nodes) {
    left.cuts++;
    return undefined;
  }
  left.nodes -= nodes;
  return { ...state, within: new Set([...within, name]) };
}

/**
 * The facts about the outputs of a node by the functions that it calls; undefined for other nodes.
 *
 * @param inputs what is known of the node's data inputs
 */
export function callFacts(
  node: NodeDef,
  inputs: Arguments,
  lookup: OpLookup,
  state: CallState,
  infer: InferBody,
): Facts | undefined {
  if (!lookup.functionNamed) return undefined;
  const results = (name: string | undefined, args: Arguments): Facts | undefined => {
    const definition = name === undefined ? undefined : lookup.functionNamed?.(name);
    if (name !== undefined) state.used.set(name, definition);
    return definition && infer(definition, args, state);
  };
  switch (structureOf(node.op).calls) {
    case "call":
      return results(calleeOf(node, "f"), inputs);
    case "if":
      return common(["then_branch", "else_branch"].map((as) => results(calleeOf(node, as), inputs.slice(1))));
    case "case":
      return common(branchesOf(node).map((name) => results(name, inputs.slice(1))));
    case "while":
      return afterLoop(inputs, (args) => results(calleeOf(node, "body"), args));
    default:
      return lookup.functionNamed(node.op) ? results(node.op, inputs) : undefined;
  }
}

function calleeOf({ attr }: NodeDef, key: string): string | undefined {
  const value = attr.get(key)?.value;
  return value?.$case === "func" ? value.value.name : undefined;
}

function branchesOf({ attr }: NodeDef): readonly string[] {
  const value = attr.get("branches")?.value;
  return value?.$case === "list" ? value.value.func.map(({ name }) => name) : [];
}

/** The facts that hold whichever branch is taken. */
function common(branches: readonly (Facts | undefined)[]): Facts | undefined {
  const [first, ...others] = branches;
  if (!first) return undefined;
  return others.reduce<Facts | undefined>(
    (one, other) => one && other && one.map((facts, index) => wider(facts, other[index])),
    first.map(({ shape, behind }) => factsOf(shape, behind)),
  );
}

/** A loop may go round any number of times: what stays as it is, however often, is known. */
const MAX_ROUNDS = 8;

function afterLoop(inputs: Facts, body: (args: Facts) => Facts | undefined): Facts | undefined {
  let args: Facts = inputs.map(({ shape, behind }) => factsOf(shape, behind));
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = body(args);
    if (!next) return undefined;
    const joined = args.map((facts, index) => wider(facts, next[index]));
    if (joined.every((facts, index) => sameFacts(facts, args[index]))) return joined;
    args = joined;
  }
  return undefined;
}

function factsOf(shape: MaybeShape, behind: MaybeShape): OutputFacts {
  return behind === undefined ? { shape } : { shape, behind };
}

function wider(one: OutputFacts, other: OutputFacts | undefined): OutputFacts {
  return factsOf(widerShape(one.shape, other?.shape), widerShape(one.behind, other?.behind));
}

/** The shape that both are instances of. */
function widerShape(one: MaybeShape, other: MaybeShape): MaybeShape {
  if (one?.length !== other?.length) return undefined;
  return one?.map((size, index) => (size === other?.[index] ? size : -1));
}

function sameFacts(one: OutputFacts, other: OutputFacts | undefined): boolean {
  return one.shape?.join() === other?.shape?.join() && one.behind?.join() === other?.behind?.join();
}

/** Shapes that a node itself declares, with what its functions say of sizes that these leave open. */
export function declaredOr(node: NodeDef, inferred: Facts): Facts {
  const value = node.attr.get("output_shapes")?.value;
  const declared = value?.$case === "list" ? value.value.shape : [];
  return inferred.map((facts, index) => {
    const shape = partialShapeFromProto(declared[index]);
    if (!shape) return facts;
    const fits = facts.shape?.length === shape.length;
    return {
      ...facts,
      shape: shape.map((size, at) => (size < 0 && fits ? (facts.shape?.[at] ?? -1) : size)),
    };
  });
}
