/**
 * The nodes of a function's body (function.proto: FunctionDef) as those of a graph. Arguments are _Arg nodes and results
 * _Retval nodes, as in the graph that TensorFlow makes of a body; inputs are written as in a graph, "node:1", where the
 * function has "node:output_arg:0".
 */
import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { FunctionDef } from "../../protos/generated/tensorflow/function.js";
import { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { OpDef_ArgDef } from "../../protos/generated/tensorflow/op_def.js";
import { PRIVATE_ATTR_PREFIX } from "../../worker-runtime/graph/private-attrs.js";
import { atOnce, paused, type Sliced } from "../../worker-runtime/graph/slices.js";
import { positionOf, withoutPosition } from "./node-places.js";
import { type OpLookup, signatureOf } from "./signature.js";
import { dataInput, uniqueName } from "./tensor-names.js";

type Nodes = ReadonlyMap<string, NodeDef>;

/** The op of an argument's node, and of a result's. */
export const ARGUMENT = "_Arg";
export const RESULT = "_Retval";

/** Whether a node of a body is an argument or a result of the function. */
export function isBorder({ op }: NodeDef): boolean {
  return op === ARGUMENT || op === RESULT;
}

/** The position of a border node among the arguments or results. */
export function borderIndex({ attr }: NodeDef): number {
  const index = attr.get("index")?.value;
  return index?.$case === "i" ? Number(index.value) : -1;
}

/** The nodes of a function's body, with its arguments first and its results last. */
export function bodyNodes(definition: FunctionDef, lookup: OpLookup): Nodes {
  return atOnce(slicedBodyNodes(definition, lookup));
}

/** As `bodyNodes`, in slices. */
export function* slicedBodyNodes(definition: FunctionDef, lookup: OpLookup): Sliced<Nodes> {
  const { signature, nodeDef, ret, argAttr } = definition;
  const byName = new Map(nodeDef.map((node) => [node.name, node]));
  const nodes = new Map<string, NodeDef>();
  for (const [index, arg] of (signature?.inputArg ?? []).entries()) {
    nodes.set(arg.name, argumentNode(arg, index, argAttr.get(index)?.attr));
  }
  yield* paused(nodeDef, (node) => {
    nodes.set(node.name, graphNode(node, byName, lookup));
  });
  for (const [index, arg] of (signature?.outputArg ?? []).entries()) {
    const input = graphInput(ret.get(arg.name) ?? "", byName, lookup);
    const name = uniqueName(arg.name, nodes);
    nodes.set(name, resultNode(arg, index, name, input));
  }
  return nodes;
}

interface KnownBorder {
  readonly index: number;
  readonly attr: ReadonlyMap<string, AttrValue> | undefined;
  readonly node: NodeDef;
}
const knownBorders = new WeakMap<OpDef_ArgDef, KnownBorder>();

function argumentNode(
  arg: OpDef_ArgDef,
  index: number,
  attr: ReadonlyMap<string, AttrValue> | undefined,
): NodeDef {
  const known = knownBorders.get(arg);
  if (known?.index === index && known.attr === attr && known.node.op === ARGUMENT) return known.node;
  const node = borderNode(arg, index, { name: arg.name, op: ARGUMENT, input: [] }, attr);
  knownBorders.set(arg, { index, attr, node });
  return node;
}

function resultNode(arg: OpDef_ArgDef, index: number, name: string, input: string): NodeDef {
  const known = knownBorders.get(arg)?.node;
  const isKnown = known?.op === RESULT && known.name === name && known.input[0] === input;
  if (isKnown && borderIndex(known) === index) return known;
  const node = borderNode(arg, index, { name, op: RESULT, input: [input] });
  knownBorders.set(arg, { index, attr: undefined, node });
  return node;
}

function borderNode(
  { type }: OpDef_ArgDef,
  index: number,
  parts: Pick<NodeDef, "name" | "op" | "input">,
  more: ReadonlyMap<string, AttrValue> = new Map(),
): NodeDef {
  const attr = new Map<string, AttrValue>([
    ["index", { value: { $case: "i", value: BigInt(index) } }],
    ...more,
  ]);
  // A type that the caller decides is not known here.
  if (type !== 0) attr.set("T", { value: { $case: "type", value: type } });
  return { ...NodeDef.fromPartial({}), ...parts, attr };
}

/** Nodes of bodies by the nodes of functions that they were made of, or that were made of them. */
const graphNodes = new WeakMap<NodeDef, NodeDef>();
const functionNodes = new WeakMap<NodeDef, NodeDef>();

/** Says that two nodes are the same one, in a function and in its body. */
export function pairNodes(inFunction: NodeDef, inBody: NodeDef): void {
  graphNodes.set(inFunction, inBody);
  functionNodes.set(inBody, inFunction);
}

/** The node of the function that a node of the body was made of. */
export function nodeInFunction(inBody: NodeDef): NodeDef | undefined {
  return functionNodes.get(inBody);
}

function graphNode(node: NodeDef, byName: Nodes, lookup: OpLookup): NodeDef {
  const input = node.input.map((text) => graphInput(text, byName, lookup));
  const known = graphNodes.get(node);
  if (known && sameTexts(known.input, input)) return known;
  const plain = known ?? (positionOf(node) ? withoutPosition(node) : { ...node });
  const made = { ...plain, input };
  pairNodes(node, made);
  return made;
}

export function sameTexts(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

/** An input of a function's body as a graph has it. One of a node whose op is not known stays as it is. */
function graphInput(text: string, byName: Nodes, lookup: OpLookup): string {
  if (text.startsWith("^")) return text;
  const [name = "", arg, position] = text.split(":");
  const producer = arg === undefined ? undefined : byName.get(name);
  const outputs = producer && signatureOf(producer, lookup)?.outputs;
  // Without a number, the first tensor is meant.
  const slot = outputs?.find((one) => one.arg.name === arg && one.position === Number(position ?? 0));
  return slot ? dataInput(name, slot.index) : text;
}

/** The attributes of an argument that its function keeps: all but those that its place decides, and ours. */
export function argumentAttrs({ attr }: NodeDef): Map<string, AttrValue> {
  return new Map(
    [...attr].filter(([key]) => key !== "T" && key !== "index" && !key.startsWith(PRIVATE_ATTR_PREFIX)),
  );
}
