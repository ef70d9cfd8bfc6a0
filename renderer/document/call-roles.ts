/** How a node that names a function hands its inputs to it, and takes its outputs from it. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { structureOf } from "../../worker-runtime/graph/structural-ops.js";
import type { Call } from "./library.js";
import { type OpLookup, signatureOf } from "./signature.js";

/** The inputs from `offset` on are the arguments, and the outputs the results; `types` name their attributes. */
interface PlainRole {
  readonly kind: "call" | "branch";
  readonly offset: number;
  readonly types: { readonly args?: string; readonly results?: string };
  /** All functions that the node may call in the same way, which take and give the same. */
  readonly functions: readonly string[];
}

/** Inputs, arguments of both functions, results of the body and outputs are one list of variables. */
export interface LoopRole {
  readonly kind: "loop";
  readonly offset: 0;
  readonly types: { readonly args: "T" };
  readonly cond: string;
  readonly body: string;
}

/** The op decides the first arguments; the last ones are `count` inputs of the node from `offset` on. */
interface CapturedRole {
  readonly kind: "captured";
  readonly offset: number;
  readonly count: number;
  readonly types: { readonly args: string };
}

export type CallRole = PlainRole | LoopRole | CapturedRole;

/** The role of a node towards one of the functions that it names; undefined: the op alone knows what it hands over. */
export function callRole(node: NodeDef, { as, name }: Call, lookup: OpLookup): CallRole | undefined {
  if (as === "") return { kind: "call", offset: 0, types: {}, functions: [name] };
  const types = { args: "Tin", results: "Tout" };
  switch (structureOf(node.op).calls) {
    case "call":
      return { kind: "call", offset: 0, types, functions: [name] };
    case "if":
    case "case": {
      const functions = ["then_branch", "else_branch", "branches"].flatMap((attr) => named(node, attr));
      return { kind: "branch", offset: 1, types, functions };
    }
    case "while": {
      const [cond, body] = [named(node, "cond")[0], named(node, "body")[0]];
      if (cond === undefined || body === undefined) return undefined;
      return { kind: "loop", offset: 0, types: { args: "T" }, cond, body };
    }
    default:
      return capturedRole(node, as, lookup);
  }
}

/** Ops of tf.data name the captured inputs of a function alike (dataset_ops.cc). */
function capturedRole(node: NodeDef, as: string, lookup: OpLookup): CapturedRole | undefined {
  const signature = signatureOf(node, lookup);
  const own = `${as}_other_arguments`;
  const arg = [own, "other_arguments"]
    .map((wanted) => signature?.opDef.inputArg.find(({ name }) => name === wanted))
    .find((found) => found !== undefined);
  if (!signature || !arg || arg.typeListAttr === "") return undefined;
  const captured = signature.inputs.filter((slot) => slot.arg === arg);
  const at = signature.opDef.inputArg.indexOf(arg);
  const before = signature.inputs.filter((slot) => signature.opDef.inputArg.indexOf(slot.arg) < at);
  return {
    kind: "captured",
    offset: before.length,
    count: captured.length,
    types: { args: arg.typeListAttr },
  };
}

function named({ attr }: NodeDef, key: string): readonly string[] {
  const value = attr.get(key)?.value;
  if (value?.$case === "func") return [value.value.name];
  return value?.$case === "list" ? value.value.func.map(({ name }) => name) : [];
}
