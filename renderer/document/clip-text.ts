/** Nodes as text on the system's clipboard: a GraphDef, which any program can use. */
import { type FunctionDef, FunctionDefLibrary } from "../../protos/generated/tensorflow/function.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import type { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { formatText, parseText, TextFormatError } from "../../worker-runtime/graph/text-format.js";
import { texts } from "../texts/texts.js";
import { type Clip, originOf } from "./edits/paste.js";
import { namedFunctions } from "./function-effects.js";
import { layeredLayout } from "./layout.js";
import type { GraphDocument, Point } from "./model.js";
import { positionOf, withoutPosition, withPosition } from "./node-places.js";

const words = texts.document.clipText;

/** These nodes in the document's order, with their places and the functions that they call; undefined for none. */
export function clipText(document: GraphDocument, names: ReadonlySet<string>): string | undefined {
  const nodes = [...document.nodes.values()].filter(({ name }) => names.has(name));
  if (nodes.length === 0) return undefined;
  const graphDef = document.metaGraph.graphDef;
  const functions = calledBy(nodes, graphDef?.library?.function ?? []);
  const placed = nodes.map((node) => {
    const place = document.layout.get(node.name);
    return place ? withPosition(node, place) : node;
  });
  const graph: GraphDef = {
    ...GraphDef.fromPartial({}),
    node: placed,
    library: functions.length > 0 ? FunctionDefLibrary.fromPartial({ function: functions }) : undefined,
  };
  return formatText("tensorflow.GraphDef", graph);
}

/**
 * The nodes of a text.
 *
 * @throws Error that can be shown, for a text that holds none
 */
export function clipOfText(text: string): Clip {
  const graph = graphOf(text);
  const nodes = new Map<string, NodeDef>();
  const places = new Map<string, Point>();
  for (const node of graph.node) {
    if (nodes.has(node.name)) throw new Error(words.sameName({ name: node.name }));
    const place = positionOf(node);
    if (place) places.set(node.name, place);
    nodes.set(node.name, place ? withoutPosition(node) : node);
  }
  if (nodes.size === 0) throw new Error(words.noNodes);
  const layout = places.size === nodes.size ? places : layeredLayout(nodes, places);
  const origin = originOf([...layout.values()]);
  const offsets = new Map(
    [...layout].map(([name, { x, y }]): [string, Point] => [name, { x: x - origin.x, y: y - origin.y }]),
  );
  return { nodes: [...nodes.values()], offsets, origin, functions: graph.library?.function ?? [] };
}

function graphOf(text: string): GraphDef {
  if (text.trim() === "") throw new Error(words.noNodes);
  try {
    return parseText<GraphDef>("tensorflow.GraphDef", text);
  } catch (error) {
    if (!(error instanceof TextFormatError)) throw error;
    const meta = metaGraphOf(text);
    if (meta?.graphDef) return meta.graphDef;
    // Text that begins like nodes is meant as nodes, so a parse error is worth reporting.
    if (!/^\s*(#.*\n\s*)*(node|graph_def|library)\s*:?\s*[{<]/.test(text)) throw new Error(words.noNodes);
    throw new Error(words.unreadable({ error: error.message }));
  }
}

function metaGraphOf(text: string): MetaGraphDef | undefined {
  try {
    return parseText<MetaGraphDef>("tensorflow.MetaGraphDef", text);
  } catch (error) {
    if (!(error instanceof TextFormatError)) throw error;
    return undefined;
  }
}

/** The functions of a library that nodes call, and those that these call. */
function calledBy(nodes: readonly NodeDef[], library: readonly FunctionDef[]): FunctionDef[] {
  const byName = new Map(library.map((definition) => [definition.signature?.name ?? "", definition]));
  if (byName.size === 0) return [];
  const called = new Set<string>();
  const open = [...nodes];
  for (let node = open.pop(); node; node = open.pop()) {
    for (const name of namedFunctions(node)) {
      const definition = byName.get(name);
      if (!definition || called.has(name)) continue;
      called.add(name);
      open.push(...definition.nodeDef);
    }
  }
  return library.filter(({ signature }) => called.has(signature?.name ?? ""));
}
