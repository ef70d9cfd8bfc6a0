/**
 * The body of a function of the library as a document of its own, which edit-function.ts takes back into the library. What
 * no edit changed is written as it was read.
 */
import type { FunctionDef } from "../../protos/generated/tensorflow/function.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../protos/generated/tensorflow/meta_graph.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { atOnce, type Sliced } from "../../worker-runtime/graph/slices.js";
import { isArranged, suitsScopes } from "./arrangement.js";
import { ARGUMENT, borderIndex, isBorder, RESULT, sameTexts, slicedBodyNodes } from "./body-nodes.js";
import { differingKeys } from "./differing-keys.js";
import { bodyAnnotations, borderPlaces } from "./function-settings.js";
import { slicedLayeredLayout } from "./layout.js";
import { functionsOf, libraryOf, nameOf, withFunctions } from "./library.js";
import { EMPTY_RUN_CONFIGS, type GraphDocument, type Point } from "./model.js";
import { positionOf } from "./node-places.js";
import type { OpLookup } from "./signature.js";
import { followWiring } from "./wiring.js";

type Nodes = ReadonlyMap<string, NodeDef>;

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
  return atOnce(slicedBodyDocument(whole, name, lookup, before));
}

/** As `bodyDocument`, in slices. */
export function* slicedBodyDocument(
  whole: GraphDocument,
  name: string,
  lookup: OpLookup,
  before?: GraphDocument,
): Sliced<GraphDocument | undefined> {
  const definition = libraryOf(whole.metaGraph).get(name);
  if (!definition?.signature) return undefined;
  const nodes = keptNodes(yield* slicedBodyNodes(definition, lookup), before?.nodes);
  const places = placesOf(definition, nodes);
  // One that is shown in scopes stays so while it is open, as a document does.
  const isInScopes = before !== undefined && isArranged(before);
  const isPlaced = places.size === nodes.size || isInScopes || (yield* suitsScopes(nodes));
  const layout = isPlaced
    ? places
    : (unmoved(places, nodes, before) ?? (yield* slicedLayeredLayout(nodes, besideBody(places, nodes))));
  const { path, kind, format, cluster } = whole;
  return {
    id: whole.id,
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

/** From the body to its arguments on the left and its results on the right, and from one of them to the next. */
const BESIDE = 224;
const BELOW = 88;

/** The places, with arguments and results beside the body where they have none yet: those of an extracted function. */
function besideBody(places: ReadonlyMap<string, Point>, nodes: Nodes): ReadonlyMap<string, Point> {
  if (places.size === 0) return places;
  const points = [...places.values()];
  const top = Math.min(...points.map(({ y }) => y));
  const columns: Readonly<Record<string, number>> = {
    [ARGUMENT]: Math.min(...points.map(({ x }) => x)) - BESIDE,
    [RESULT]: Math.max(...points.map(({ x }) => x)) + BESIDE,
  };
  const all = new Map(places);
  for (const node of nodes.values()) {
    const x = columns[node.op];
    if (x !== undefined && !all.has(node.name)) all.set(node.name, { x, y: top + BELOW * borderIndex(node) });
  }
  return all;
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
 * The parts of the document that a body has besides nodes: the functions that it can call, and ops that the file describes. Of
 * its own function only the signature is in it, as the nodes are those of the body.
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
