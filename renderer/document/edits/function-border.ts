/** The arguments and results of a function as an edit of its body leaves them. */
import type { FunctionDef } from "../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { OpDef_ArgDef } from "../../../protos/generated/tensorflow/op_def.js";
import { DataType } from "../../../protos/generated/tensorflow/types.js";
import { texts } from "../../texts/texts.js";
import { ARGUMENT, borderIndex, isBorder, RESULT } from "../body-nodes.js";
import type { BorderSlot } from "../border-change.js";
import { outputType } from "../follow-types.js";
import { nameOf } from "../library.js";
import { type GraphDocument, MISSING_INPUT } from "../model.js";
import type { OpLookup } from "../signature.js";
import { parseInput } from "../tensor-names.js";
import { wiringOf } from "../wiring.js";
import { Refusal } from "./types.js";

const words = texts.functionCalls;

type Nodes = ReadonlyMap<string, NodeDef>;

/** An edit of a body: the body before and after it. */
export interface BodyEdit {
  readonly definition: FunctionDef;
  readonly before: GraphDocument;
  readonly after: GraphDocument;
  /** New names of renamed nodes by their old ones. */
  readonly renamed: ReadonlyMap<string, string>;
  readonly lookup: OpLookup;
}

/** An argument or a result as it is after an edit. */
export interface BorderNode extends BorderSlot {
  readonly node: NodeDef;
}

export interface Border {
  /** In their order. */
  readonly args: readonly BorderNode[];
  readonly results: readonly BorderNode[];
}

/** The arguments and results, in the order of their numbers. Throws a `Refusal`. */
export function borderOf(change: BodyEdit): Border {
  const { definition, before, after, renamed, lookup } = change;
  const name = nameOf(definition);
  const were = new Map<string, NodeDef>();
  for (const node of before.nodes.values())
    if (isBorder(node)) were.set(renamed.get(node.name) ?? node.name, node);
  const found = { [ARGUMENT]: [] as BorderNode[], [RESULT]: [] as BorderNode[] };
  for (const node of after.nodes.values()) {
    if (node.op !== ARGUMENT && node.op !== RESULT) continue;
    const was = were.get(node.name);
    const from = was?.op === node.op ? borderIndex(was) : undefined;
    if (node.device !== "") throw new Refusal(words.callersDevice({ name: node.name, function: name }));
    if (node.op === RESULT && node.input.length !== 1) {
      throw new Refusal(words.resultWaits({ name: node.name, function: name }));
    }
    if (node.op === ARGUMENT && node.input.length > 0) {
      throw new Refusal(words.argumentWaits({ name: node.name }));
    }
    const type = typeOf(node) ?? readType(node, after, lookup);
    if (type === undefined) throw new Refusal(words.typeUnknown({ tensor: node.name }));
    found[node.op].push({ node, from, type, name: node.name });
  }
  refuseIfRead(change, were);
  // New ones come last, whatever number they were copied with.
  const place = ({ node, from }: BorderNode) => [from === undefined ? 1 : 0, borderIndex(node)] as const;
  const inOrder = (list: readonly BorderNode[]) =>
    list.toSorted((one, other) => {
      const [[isNew, index], [otherIsNew, otherIndex]] = [place(one), place(other)];
      return isNew - otherIsNew || index - otherIndex;
    });
  return { args: inOrder(found[ARGUMENT]), results: inOrder(found[RESULT]) };
}

/** An argument that goes must not leave inputs of the body without what they read. */
function refuseIfRead({ definition, before, after, renamed }: BodyEdit, were: Nodes): void {
  const gone = [...were].filter(
    ([name, { op }]) => op === ARGUMENT && after.nodes.get(name)?.op !== ARGUMENT,
  );
  for (const [, { name }] of gone) {
    for (const { to, input } of wiringOf(before.nodes).outgoing.get(name) ?? []) {
      const reader = after.nodes.get(renamed.get(to) ?? to);
      if (reader?.input[input] !== MISSING_INPUT) continue;
      throw new Refusal(words.argumentRead({ name, function: nameOf(definition), reader: reader.name }));
    }
  }
}

function readType({ input }: NodeDef, { nodes }: GraphDocument, lookup: OpLookup): DataType | undefined {
  const reference = parseInput(input[0] ?? "");
  if (reference.kind !== "data") return undefined;
  const type = outputType(nodes, lookup, reference.node, reference.output);
  return type === DataType.DT_INVALID ? undefined : type;
}

function typeOf({ attr }: NodeDef): DataType | undefined {
  const value = attr.get("T")?.value;
  return value?.$case === "type" ? value.value : undefined;
}

const ARGUMENT_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;

/** The arguments or results, with the names and types of their nodes. */
export function changedArgs(
  defs: readonly OpDef_ArgDef[],
  nodes: readonly BorderNode[],
  before: GraphDocument,
): OpDef_ArgDef[] {
  return nodes.map(({ node: { name, op }, from, type }) => {
    const arg = from === undefined ? undefined : defs[from];
    if (!arg) return OpDef_ArgDef.fromPartial({ name, type });
    // The node of a result has another name than the result where a node of the body has that.
    const isKnown = op === ARGUMENT ? name === arg.name : before.nodes.get(name)?.op === RESULT;
    if (isKnown && arg.type === type) return arg;
    return { ...arg, type, name: isKnown ? arg.name : name };
  });
}

/** Refuses names that arguments or results cannot have: they are plainer than those of nodes. */
export function refuseNames(args: readonly OpDef_ArgDef[], { signature }: FunctionDef): void {
  const known = new Set(
    [...(signature?.inputArg ?? []), ...(signature?.outputArg ?? [])].map(({ name }) => name),
  );
  const names = new Set<string>();
  for (const { name } of args) {
    if (!known.has(name) && !ARGUMENT_NAME.test(name)) throw new Refusal(words.argumentName);
    if (names.has(name)) throw new Refusal(words.twoOfOneName({ name }));
    names.add(name);
  }
}
