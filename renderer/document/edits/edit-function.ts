/** Edits of a function's body: made on the body as a document (function-body.ts), they are edits of the document's library. */
import type { FunctionDef } from "../../../protos/generated/tensorflow/function.js";
import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import type { OpDef, OpDef_ArgDef } from "../../../protos/generated/tensorflow/op_def.js";
import { texts } from "../../texts/texts.js";
import {
  ARGUMENT,
  argumentAttrs,
  borderIndex,
  isBorder,
  nodeInFunction,
  pairNodes,
  RESULT,
  sameTexts,
} from "../body-nodes.js";
import { isStateful } from "../function-effects.js";
import { withSettings } from "../function-settings.js";
import { functionsOf, libraryOf, nameOf, usedFunctions, withFunctions } from "../library.js";
import type { GraphDocument, Point } from "../model.js";
import { withPosition } from "../node-places.js";
import { apply, type Transaction } from "../operations.js";
import { type OpLookup, signatureOf } from "../signature.js";
import { parseInput, uniqueName } from "../tensor-names.js";
import { withStatefulCalls } from "./stateful-calls.js";
import { type EditResult, edit, refused } from "./types.js";

const words = texts.document.edits.editFunction;

type Nodes = ReadonlyMap<string, NodeDef>;

/**
 * The edit of a document that an edit of the body of one of its functions is.
 *
 * @param body the body as a document, which `transaction` is an edit of
 * @param lookup of the document
 */
export function editFunction(
  document: GraphDocument,
  name: string,
  body: GraphDocument,
  transaction: Transaction,
  lookup: OpLookup,
): EditResult {
  const definition = libraryOf(document.metaGraph).get(name);
  if (!definition?.signature) return refused(words.noFunction({ name }));
  const reason = whyNotEdit(definition);
  if (reason !== undefined) return refused(reason);
  if (transaction.operations.some(({ type }) => type === "run-config" || type === "run-configs")) {
    return refused(words.notOfFunction);
  }
  const edited = apply(body, transaction.operations);
  const changed = functionOf({
    definition,
    before: body,
    after: edited,
    renamed: renamedIn(transaction),
    lookup,
  });
  if (typeof changed === "string") return refused(changed);
  const isNewlyStateful = changed.signature?.isStateful === true && !definition.signature.isStateful;
  const functions = mergedFunctions(document, changed, body.metaGraph, edited.metaGraph);
  const done = isNewlyStateful
    ? withStatefulCalls(document.nodes, functions, name)
    : { functions, operations: [] };
  const before = document.metaGraph;
  const isSame = sameFunctions(done.functions, functionsOf(before));
  const { mergeKey } = transaction;
  return edit({
    label: transaction.label,
    operations: [
      ...(isSame
        ? []
        : [{ type: "meta-graph" as const, before, after: withFunctions(before, done.functions) }]),
      ...done.operations,
    ],
    within: name,
    keepsValues: transaction.operations.every(({ type }) => type === "layout" || type === "annotations"),
    ...(mergeKey === undefined ? {} : { mergeKey: `${name} ${mergeKey}` }),
    ...(transaction.select ? { select: transaction.select } : {}),
  });
}

/** Undefined if the body of a function can be edited. */
export function whyNotEdit({ signature }: FunctionDef): string | undefined {
  const { name = "", attr = [], inputArg = [], outputArg = [] } = signature ?? {};
  const depends = attr.length > 0 || [...inputArg, ...outputArg].some(({ type }) => type === 0);
  return depends ? words.generic({ name }) : undefined;
}

/** New names of renamed nodes by their old ones. */
function renamedIn({ operations }: Transaction): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>();
  for (const operation of operations) {
    if (operation.type !== "nodes") continue;
    for (const { before, after } of operation.changes) {
      if (before && after && before.name !== after.name) renamed.set(before.name, after.name);
    }
  }
  return renamed;
}

interface BodyEdit {
  readonly definition: FunctionDef;
  readonly before: GraphDocument;
  readonly after: GraphDocument;
  readonly renamed: ReadonlyMap<string, string>;
  readonly lookup: OpLookup;
}

/** The function with the body as it is after an edit, or why it cannot have it. */
function functionOf(change: BodyEdit): FunctionDef | string {
  const { definition, before, after, renamed, lookup } = change;
  const border = borderOf(change);
  if (typeof border === "string") return border;
  const { args, results } = border;
  const { nodes, layout } = after;
  const inner = [...nodes.values()].filter((node) => !isBorder(node));
  const added = inner.filter(({ name }) => !before.nodes.has(name) && ![...renamed.values()].includes(name));
  const stateful = added.filter((node) => isStateful(node, lookup)).map(({ name }) => name);
  const controlRet = controlResults(definition, nodes, renamed, stateful);
  const outputArg = renamedArgs(definition.signature?.outputArg ?? [], results, before, false);
  const inputArg = renamedArgs(definition.signature?.inputArg ?? [], args, before, true);
  const problem = whyNotNames(inputArg, definition) ?? whyNotNames(outputArg, definition);
  if (problem !== undefined) return problem;
  const placeOf = ({ name }: NodeDef): Point | undefined => layout.get(name);
  return {
    ...definition,
    signature: signatureWith(definition.signature, {
      ...{ inputArg, outputArg },
      controlOutput: [...controlRet.keys()],
      isStateful: stateful.length > 0,
    }),
    nodeDef: inner.map((node) => functionNode(node, placeOf(node), nodes, lookup)),
    ret: returned(definition, outputArg, results, nodes, lookup),
    controlRet,
    argAttr: argAttrs(definition, args, before),
    attr: withSettings(
      definition,
      { [ARGUMENT]: args.map(placeOf), [RESULT]: results.map(placeOf) },
      after.annotations,
    ),
  };
}

interface Border {
  /** In their order. */
  readonly args: readonly NodeDef[];
  readonly results: readonly NodeDef[];
}

/** The arguments and results, which must be those that the calls know. */
function borderOf({ definition, before, after, renamed }: BodyEdit): Border | string {
  const name = nameOf(definition);
  const found = { [ARGUMENT]: [] as NodeDef[], [RESULT]: [] as NodeDef[] };
  for (const one of before.nodes.values()) {
    if (one.op !== ARGUMENT && one.op !== RESULT) continue;
    const node = after.nodes.get(renamed.get(one.name) ?? one.name);
    const isArgument = one.op === ARGUMENT;
    const named = { node: one.name, name };
    if (node?.op !== one.op || borderIndex(node) !== borderIndex(one)) {
      return isArgument ? words.argumentKept(named) : words.resultKept(named);
    }
    if (typeOf(node) !== typeOf(one)) {
      return isArgument ? words.argumentType(named) : words.resultType(named);
    }
    if (node.device !== "") return isArgument ? words.argumentPlace(named) : words.resultPlace(named);
    if (!isArgument && node.input.length !== 1) {
      return words.resultInput(named);
    }
    if (isArgument && node.input.length > 0) return words.argumentInput({ node: one.name });
    found[one.op].push(node);
  }
  const { [ARGUMENT]: args, [RESULT]: results } = found;
  const all = [...after.nodes.values()].filter(isBorder).length;
  if (all > args.length + results.length) {
    return words.borderAdded({ name });
  }
  return { args, results };
}

function typeOf({ attr }: NodeDef): unknown {
  const value = attr.get("T")?.value;
  return value?.$case === "type" ? value.value : undefined;
}

const ARGUMENT_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;

/** The arguments or results, with the names of those nodes that an edit renamed. */
function renamedArgs(
  defs: readonly OpDef_ArgDef[],
  nodes: readonly NodeDef[],
  before: GraphDocument,
  isArgument: boolean,
): OpDef_ArgDef[] {
  return defs.map((arg, index) => {
    const { name } = nodes[index] ?? { name: arg.name };
    // The node of a result has another name than the result where a node of the body has that.
    const isKnown = isArgument ? name === arg.name : before.nodes.get(name)?.op === RESULT;
    return isKnown ? arg : { ...arg, name };
  });
}

/** Why arguments or results cannot have these names: they are plainer than those of nodes. */
function whyNotNames(args: readonly OpDef_ArgDef[], { signature }: FunctionDef): string | undefined {
  const known = new Set([...(signature?.inputArg ?? []), ...(signature?.outputArg ?? [])]);
  const names = new Set<string>();
  for (const arg of args) {
    if (!known.has(arg) && !ARGUMENT_NAME.test(arg.name)) {
      return words.wrongName;
    }
    if (names.has(arg.name)) return words.taken({ name: arg.name });
    names.add(arg.name);
  }
  return undefined;
}

/** The signature; the same object unless something of it differs, as all calls depend on it. */
function signatureWith(
  signature: OpDef | undefined,
  {
    inputArg,
    outputArg,
    controlOutput,
    isStateful: isNow,
  }: Pick<OpDef, "inputArg" | "outputArg" | "controlOutput" | "isStateful">,
): OpDef | undefined {
  if (!signature) return undefined;
  const sameArgs = (one: readonly OpDef_ArgDef[], other: readonly OpDef_ArgDef[]) =>
    one.every((arg, index) => arg === other[index]);
  const isSame =
    sameArgs(inputArg, signature.inputArg) &&
    sameArgs(outputArg, signature.outputArg) &&
    (!isNow || signature.isStateful);
  // Files of older versions name control results in the map only.
  const kept = signature.controlOutput.filter((name) => controlOutput.includes(name));
  const wanted = [...kept, ...controlOutput.filter((name) => !kept.includes(name))];
  const isOld = signature.controlOutput.length === 0 && !isNow;
  const sameControl = isOld || sameTexts(wanted, signature.controlOutput);
  if (isSame && sameControl) return signature;
  return {
    ...signature,
    ...{ inputArg, outputArg },
    controlOutput: isOld ? signature.controlOutput : wanted,
    isStateful: signature.isStateful || isNow,
  };
}

/** What the function does whenever it is called: what it did, as far as it is there, and new nodes with state. */
function controlResults(
  { controlRet }: FunctionDef,
  nodes: Nodes,
  renamed: ReadonlyMap<string, string>,
  stateful: readonly string[],
): Map<string, string> {
  const result = new Map<string, string>();
  for (const [key, node] of controlRet) {
    const name = renamed.get(node) ?? node;
    if (nodes.has(name)) result.set(key, name);
  }
  for (const name of stateful) result.set(uniqueName(name, result), name);
  const isSame =
    result.size === controlRet.size && [...result].every(([key, node]) => controlRet.get(key) === node);
  return isSame ? controlRet : result;
}

function returned(
  { ret, signature }: FunctionDef,
  outputArg: readonly OpDef_ArgDef[],
  results: readonly NodeDef[],
  nodes: Nodes,
  lookup: OpLookup,
): Map<string, string> {
  const texts = new Map(
    outputArg.map(({ name }, index) => {
      const was = ret.get(signature?.outputArg[index]?.name ?? "");
      return [name, keptText(functionInput(results[index]?.input[0] ?? "", nodes, lookup), was)];
    }),
  );
  // In the order of the file, so that what did not change is written as it was.
  const known = [...ret.keys()].filter((name) => texts.has(name));
  const order = [...known, ...[...texts.keys()].filter((name) => !ret.has(name))];
  const isSame = order.length === ret.size && order.every((name) => texts.get(name) === ret.get(name));
  return isSame ? ret : new Map(order.map((name) => [name, texts.get(name) ?? ""]));
}

function argAttrs(
  { argAttr }: FunctionDef,
  args: readonly NodeDef[],
  before: GraphDocument,
): FunctionDef["argAttr"] {
  const changed = args.filter((node) => {
    const known = [...before.nodes.values()].find(
      (one) => one.op === ARGUMENT && borderIndex(one) === borderIndex(node),
    );
    return known?.attr !== node.attr;
  });
  if (changed.length === 0) return argAttr;
  const result = new Map(argAttr);
  for (const node of changed) {
    const index = borderIndex(node);
    result.set(index, { ...argAttr.get(index), attr: argumentAttrs(node) });
  }
  return result;
}

/** The node as the function has it; the same object as before if nothing of it changed. */
function functionNode(node: NodeDef, place: Point | undefined, nodes: Nodes, lookup: OpLookup): NodeDef {
  const known = nodeInFunction(node);
  const input = node.input.map((text, index) =>
    keptText(functionInput(text, nodes, lookup), known?.input[index]),
  );
  const placed = place ? withPosition(node, place) : node;
  const isSame =
    known !== undefined && sameTexts(known.input, input) && known.attr.size === placed.attr.size
      ? [...placed.attr].every(([key, value]) => sameAttr(value.value, known.attr.get(key)?.value))
      : false;
  if (isSame && known) return known;
  const made = { ...placed, input };
  pairNodes(made, node);
  return made;
}

function sameAttr(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  const [first, second] = [one, other] as readonly ({ $case?: string; value?: unknown } | undefined)[];
  return first?.$case === "f" && second?.$case === "f" && first.value === second.value;
}

/** The text that the function had, if it means the same: without a number, the first tensor of an output is meant. */
function keptText(text: string, was: string | undefined): string {
  return was !== undefined && `${was}:0` === text && was.includes(":") ? was : text;
}

/** An input of a graph as the body of a function has it: "node:output_arg:0", or an argument's name. */
function functionInput(text: string, nodes: Nodes, lookup: OpLookup): string {
  const reference = parseInput(text);
  if (reference.kind !== "data" || text.indexOf(":") !== text.lastIndexOf(":")) return text;
  const producer = nodes.get(reference.node);
  if (!producer || isBorder(producer)) return text;
  const slot = signatureOf(producer, lookup)?.outputs[reference.output];
  return slot ? `${reference.node}:${slot.arg.name}:${slot.position}` : text;
}

/** The library after an edit of a body, which may have added functions, and taken away some that it called alone. */
function mergedFunctions(
  { metaGraph, nodes }: GraphDocument,
  changed: FunctionDef,
  before: MetaGraphDef,
  after: MetaGraphDef,
): readonly FunctionDef[] {
  const name = nameOf(changed);
  const own = functionsOf(metaGraph).map((one) => (nameOf(one) === name ? changed : one));
  if (before === after) return own;
  const [were, are] = [libraryOf(before), libraryOf(after)];
  const added = [...are].flatMap(([one, definition]) => (were.has(one) ? [] : [definition]));
  const all = [...own, ...added];
  const used = usedFunctions(nodes.values(), withFunctions(metaGraph, all));
  return all.filter((one) => !were.has(nameOf(one)) || are.has(nameOf(one)) || used.has(nameOf(one)));
}

function sameFunctions(one: readonly FunctionDef[], other: readonly FunctionDef[]): boolean {
  return one.length === other.length && one.every((definition, index) => definition === other[index]);
}
