/**
 * The body of a function of the library as a document of its own, and back (function.proto: FunctionDef). Arguments are
 * _Arg nodes and results _Retval nodes, as in the graph that TensorFlow makes of a body; inputs are written as in a
 * graph, "node:1", where the function has "node:output_arg:0". What no edit changed is written as it was read.
 */
import type { AttrValue } from "../../protos/generated/tensorflow/attr_value.js";
import type { FunctionDef } from "../../protos/generated/tensorflow/function.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { OpDef_ArgDef } from "../../protos/generated/tensorflow/op_def.js";
import { PRIVATE_ATTR_PREFIX } from "../../worker-runtime/graph/private-attrs.js";
import { atOnce } from "../../worker-runtime/graph/slices.js";
import { suitsScopes } from "./arrangement.js";
import { differingKeys } from "./differing-keys.js";
import { positionOf, withoutPosition } from "./document-file.js";
import { bodyAnnotations, borderPlaces } from "./function-settings.js";
import { layeredLayout } from "./layout.js";
import { functionsOf, libraryOf, nameOf, withFunctions } from "./library.js";
import { EMPTY_RUN_CONFIGS, type GraphDocument, type Point } from "./model.js";
import { type OpLookup, signatureOf } from "./signature.js";
import { dataInput, uniqueName } from "./tensor-names.js";
import { followWiring } from "./wiring.js";

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

/**
 * The body of a function as a document; undefined if the library has no such function.
 *
 * @param lookup of the whole document
 * @param before the body as it was shown last: what did not change is the same object
 */
export function bodyDocument(
  whole: GraphDocument,
  name: string,
  lookup: OpLookup,
  before?: GraphDocument,
): GraphDocument | undefined {
  const definition = libraryOf(whole.metaGraph).get(name);
  if (!definition?.signature) return undefined;
  const nodes = keptNodes(bodyNodes(definition, lookup), before?.nodes);
  const places = placesOf(definition, nodes);
  const isPlaced = places.size === nodes.size || atOnce(suitsScopes(nodes));
  const layout = isPlaced ? places : (unmoved(places, nodes, before) ?? layeredLayout(nodes, places));
  const { path, kind, format, cluster } = whole;
  return {
    name: whole.name,
    ...(path === undefined ? {} : { path }),
    ...{ kind, format, cluster },
    metaGraph: bodyMetaGraph(whole.metaGraph, name, before?.metaGraph),
    nodes,
    layout,
    ...EMPTY_RUN_CONFIGS,
    annotations: bodyAnnotations(definition),
  };
}

/** The nodes of a function's body, with its arguments first and its results last. */
export function bodyNodes(definition: FunctionDef, lookup: OpLookup): Nodes {
  const { signature, nodeDef, ret, argAttr } = definition;
  const byName = new Map(nodeDef.map((node) => [node.name, node]));
  const nodes = new Map<string, NodeDef>();
  for (const [index, arg] of (signature?.inputArg ?? []).entries()) {
    nodes.set(arg.name, argumentNode(arg, index, argAttr.get(index)?.attr));
  }
  for (const node of nodeDef) nodes.set(node.name, graphNode(node, byName, lookup));
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

/** The nodes; the same map as before if nothing of them differs. */
function keptNodes(nodes: Nodes, before: Nodes | undefined): Nodes {
  if (!before) return nodes;
  const changed = new Set(differingKeys(before, nodes));
  if (changed.size === 0 && sameTexts([...before.keys()], [...nodes.keys()])) return before;
  followWiring(before, nodes, changed);
  return nodes;
}

/** Positions that the function keeps. */
function placesOf(definition: FunctionDef, nodes: Nodes): ReadonlyMap<string, Point> {
  const places = new Map<string, Point>();
  for (const node of definition.nodeDef) {
    const place = positionOf(node);
    if (place) places.set(node.name, place);
  }
  const border = borderPlaces(definition);
  for (const node of nodes.values()) {
    const place = isBorder(node) ? border(node.op, borderIndex(node)) : undefined;
    if (place) places.set(node.name, place);
  }
  return places;
}

/** Where nothing is kept, nodes stay where they were shown as long as they are the same ones. */
function unmoved(
  places: ReadonlyMap<string, Point>,
  nodes: Nodes,
  before: GraphDocument | undefined,
): ReadonlyMap<string, Point> | undefined {
  if (places.size > 0 || before?.layout.size !== nodes.size) return undefined;
  return [...nodes.keys()].every((name) => before.layout.has(name)) ? before.layout : undefined;
}

/**
 * What a body has of the document besides nodes: the functions that it can call, and ops that the file describes. Of its
 * own function only the signature is in it, as the nodes are those of the body.
 */
function bodyMetaGraph(whole: MetaGraphDef, name: string, before: MetaGraphDef | undefined): MetaGraphDef {
  const functions = functionsOf(whole);
  const known = before && functionsOf(before);
  const isSame =
    before?.metaInfoDef === whole.metaInfoDef &&
    known?.length === functions.length &&
    functions.every((one, index) =>
      nameOf(one) === name ? known[index]?.signature === one.signature : known[index] === one,
    );
  if (before && isSame) return before;
  const { library, ...graphDef } = whole.graphDef ?? GraphDef.fromPartial({});
  const own = functions.map((one) => (nameOf(one) === name ? { ...one, nodeDef: [] } : one));
  const plain = { ...MetaGraphDef.fromPartial({}), metaInfoDef: whole.metaInfoDef, graphDef };
  return withFunctions({ ...plain, graphDef: { ...graphDef, node: [], library } }, own);
}

/** The attributes of an argument that its function keeps: all but those that its place decides, and ours. */
export function argumentAttrs({ attr }: NodeDef): Map<string, AttrValue> {
  return new Map(
    [...attr].filter(([key]) => key !== "T" && key !== "index" && !key.startsWith(PRIVATE_ATTR_PREFIX)),
  );
}
