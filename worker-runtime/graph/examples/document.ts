/** Graphs as documents: where their nodes are drawn, and how they are run. */
import type { AttrValue } from "../../../protos/generated/tensorflow/attr_value.js";
import type { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import type { Graph } from "../graph.js";
import { DOCUMENT_COLLECTION, LAYOUT_X_ATTR, LAYOUT_Y_ATTR } from "../private-attrs.js";

export const FIRST_WORKER = "/job:worker/task:0";
export const SECOND_WORKER = "/job:worker/task:1";
export const WORKERS = [FIRST_WORKER, SECOND_WORKER] as const;
export const FIRST_SERVER = "/job:ps/task:0";
export const SECOND_SERVER = "/job:ps/task:1";

/** A run configuration as documents store it; what is left out has its default. */
export interface ExampleRun {
  readonly name?: string;
  readonly fetches: readonly string[];
  /** By tensor: "input:0". */
  readonly feeds?: Readonly<Record<string, { readonly kind: "literal"; readonly text: string }>>;
  readonly targets?: readonly string[];
  readonly steps?: number;
  readonly trace?: boolean;
  /** Further configurations, of the first one alone. */
  readonly others?: readonly (ExampleRun & { readonly name: string })[];
}

/** Says how the graph is run. */
export function setRun(graph: Graph, run: ExampleRun): void {
  graph.addToCollection(DOCUMENT_COLLECTION, JSON.stringify({ run }));
}

/** Positions of nodes by name. */
type Places = Readonly<Record<string, readonly [x: number, y: number]>>;

function floatAttr(value: number): AttrValue {
  return { value: { $case: "f", value } };
}

/** The graph as a document, with the positions of its nodes. */
export function documentOf(graph: Graph, places: Places): MetaGraphDef {
  const metaGraph = graph.toMetaGraphDef();
  for (const node of metaGraph.graphDef?.node ?? []) {
    const place = places[node.name];
    if (!place) continue;
    node.attr.set(LAYOUT_X_ATTR, floatAttr(place[0]));
    node.attr.set(LAYOUT_Y_ATTR, floatAttr(place[1]));
  }
  return metaGraph;
}
