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
import { type BorderChange, keepsCalls, remappedKeys } from "../border-change.js";
import { isStateful } from "../function-effects.js";
import { withInputShapes, withSettings } from "../function-settings.js";
import { functionsOf, libraryOf, nameOf, usedFunctions, withFunctions } from "../library.js";
import type { GraphDocument, Point } from "../model.js";
import { withPosition } from "../node-places.js";
import { apply, type Transaction } from "../operations.js";
import { type OpLookup, signatureOf } from "../signature.js";
import { parseInput, uniqueName } from "../tensor-names.js";
import { type Followed, followBorder } from "./follow-border.js";
import { type BodyEdit, type BorderNode, borderOf, changedArgs, refuseNames } from "./function-border.js";
import { withStatefulCalls } from "./stateful-calls.js";
import { type EditResult, edit, orRefused, refused } from "./types.js";

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
  const change = { definition, before: body, after: edited, renamed: renamedIn(transaction), lookup };
  const done = orRefused(() => changedDocument(document, change));
  if (typeof done === "string") return refused(done);
  const before = document.metaGraph;
  const { mergeKey } = transaction;
  return edit({
    label: transaction.label,
    operations: [
      ...(done.metaGraph === before ? [] : [{ type: "meta-graph" as const, before, after: done.metaGraph }]),
      ...done.operations,
    ],
    within: name,
    keepsValues: transaction.operations.every(({ type }) => type === "layout" || type === "annotations"),
    ...(mergeKey === undefined ? {} : { mergeKey: `${name} ${mergeKey}` }),
    ...(transaction.select ? { select: transaction.select } : {}),
  });
}

/** The document with the edited function, which its calls follow. Throws a `Refusal`. */
function changedDocument(document: GraphDocument, change: BodyEdit): Followed {
  const { definition, before, after, lookup } = change;
  const name = nameOf(definition);
  const { changed, border } = functionOf(change);
  const functions = mergedFunctions(document, changed, before.metaGraph, after.metaGraph);
  const followed = hasOtherCalls(definition, changed, border)
    ? followBorder(document, functions, name, border, lookup)
    : { metaGraph: withSame(document.metaGraph, functions), operations: [], nodes: document.nodes };
  const isNewlyStateful =
    changed.signature?.isStateful === true && definition.signature?.isStateful === false;
  if (!isNewlyStateful) return followed;
  const stateful = withStatefulCalls(followed.nodes, functionsOf(followed.metaGraph), name);
  return {
    ...followed,
    metaGraph: withSame(followed.metaGraph, stateful.functions),
    operations: [...followed.operations, ...stateful.operations],
  };
}

function withSame(metaGraph: MetaGraphDef, functions: readonly FunctionDef[]): MetaGraphDef {
  return sameFunctions(functions, functionsOf(metaGraph)) ? metaGraph : withFunctions(metaGraph, functions);
}

/** Whether the function is called otherwise than before: bodies of other functions name results by their names, too. */
function hasOtherCalls(
  { signature: was }: FunctionDef,
  { signature }: FunctionDef,
  border: BorderChange,
): boolean {
  if (!was || !signature) return false;
  const names = (one: OpDef) => one.outputArg.map(({ name }) => name);
  return !keepsCalls(border, was) || !sameTexts(names(was), names(signature));
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

/** The function with the body as it is after an edit. Throws a `Refusal` if it cannot have it. */
function functionOf(change: BodyEdit): { readonly changed: FunctionDef; readonly border: BorderChange } {
  const { definition, before, after, renamed, lookup } = change;
  const { args, results } = borderOf(change);
  const { nodes, layout } = after;
  const inner = [...nodes.values()].filter((node) => !isBorder(node));
  const added = inner.filter(({ name }) => !before.nodes.has(name) && ![...renamed.values()].includes(name));
  const stateful = added.filter((node) => isStateful(node, lookup)).map(({ name }) => name);
  const controlRet = controlResults(definition, nodes, renamed, stateful);
  const outputArg = changedArgs(definition.signature?.outputArg ?? [], results, before);
  const inputArg = changedArgs(definition.signature?.inputArg ?? [], args, before);
  refuseNames([...inputArg], definition);
  refuseNames([...outputArg], definition);
  const placeOf = ({ node }: BorderNode): Point | undefined => layout.get(node.name);
  const changed = {
    ...definition,
    signature: signatureWith(definition.signature, {
      ...{ inputArg, outputArg },
      controlOutput: [...controlRet.keys()],
      isStateful: stateful.length > 0,
    }),
    nodeDef: inner.map((node) => functionNode(node, layout.get(node.name), nodes, lookup)),
    ret: returned(definition, outputArg, results, nodes, lookup),
    controlRet,
    argAttr: argAttrs(definition, args, before),
    resourceArgUniqueId: remappedKeys(definition.resourceArgUniqueId, args),
    attr: withSettings(
      {
        ...definition,
        attr: withInputShapes(definition.attr, args, definition.signature?.inputArg.length ?? 0),
      },
      { [ARGUMENT]: args.map(placeOf), [RESULT]: results.map(placeOf) },
      after.annotations,
    ),
  };
  return { changed, border: { args, results } };
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
    one.length === other.length && one.every((arg, index) => arg === other[index]);
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

/** The effects of the function's calls: its former ones, as far as it is there, and new nodes with state. */
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
  results: readonly BorderNode[],
  nodes: Nodes,
  lookup: OpLookup,
): Map<string, string> {
  const tensors = new Map(
    outputArg.map(({ name }, index) => {
      const result = results[index];
      const was = ret.get(signature?.outputArg[result?.from ?? -1]?.name ?? "");
      return [name, keptText(functionInput(result?.node.input[0] ?? "", nodes, lookup), was)];
    }),
  );
  // In the order of the file, so that what did not change is written as it was.
  const known = [...ret.keys()].filter((name) => tensors.has(name));
  const order = [...known, ...[...tensors.keys()].filter((name) => !ret.has(name))];
  const isSame = order.length === ret.size && order.every((name) => tensors.get(name) === ret.get(name));
  return isSame ? ret : new Map(order.map((name) => [name, tensors.get(name) ?? ""]));
}

function argAttrs(
  { argAttr }: FunctionDef,
  args: readonly BorderNode[],
  before: GraphDocument,
): FunctionDef["argAttr"] {
  const moved = remappedKeys(argAttr, args);
  const known = new Map(
    [...before.nodes.values()].flatMap((node) =>
      node.op === ARGUMENT ? [[borderIndex(node), node] as const] : [],
    ),
  );
  const hasOthers = ({ node, from }: BorderNode) => {
    const own = argumentAttrs(node);
    const were = from === undefined ? new Map() : argumentAttrs(known.get(from) ?? node);
    return own.size !== were.size || [...own].some(([key, value]) => were.get(key) !== value);
  };
  const changed = args.flatMap((arg, index) => (hasOthers(arg) ? [[index, arg.node] as const] : []));
  if (changed.length === 0) return moved;
  const result = new Map(moved);
  for (const [index, node] of changed) {
    result.set(index, { ...result.get(index), attr: argumentAttrs(node) });
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
