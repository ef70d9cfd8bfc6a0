/** The part of a document, arranged in scopes, that the canvas shows. */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { atOnce, paused, type Sliced } from "../../worker-runtime/graph/slices.js";
import { adoptHierarchy, hierarchyFor, slicedHierarchy } from "../document/arrangement.js";
import type { GraphDocument, Point } from "../document/model.js";
import { BOX_HEIGHT, type BoxSize, boxSize as sizeOfBox } from "../document/node-size.js";
import { AllBut } from "../document/open-scopes.js";
import { labelIn, type Scope } from "../document/scope-tree.js";
import {
  nodesInScope,
  type Openness,
  slicedVisibleGraph,
  type VisibleGraph,
  visibleAfter,
  visibleGraph,
} from "../document/visible-graph.js";
import { slicedWiring, type Wiring, wiringOf } from "../document/wiring.js";
import type { Arrangement } from "../layout/arrange.js";
import { lookupOp, useGraph } from "../stores/document-store.js";
import { opennessNow, suits, useGraphView } from "../stores/graph-view-store.js";
import { areSame } from "../stores/keep-equal.js";
import { useOps } from "../stores/ops-store.js";
import { placementPreview, shownDevice } from "../stores/placement-preview.js";
import { type GraphMap, type MapItem, mapFrom, nodeSize } from "./graph-map.js";
import { nodeTitle } from "./node-text.js";

interface Known {
  readonly wiring: Wiring;
  readonly graph: VisibleGraph;
}

/** The newest graph by what is open: many ask for the same. */
const remembered = new WeakMap<Openness, Known>();

/** The part of the graph that is drawn; undefined for one that is drawn node by node, and before the first layout. */
export function visibleNow(): VisibleGraph | undefined {
  const { shown } = useGraphView.getState();
  if (!shown || !suits(shown.openness)) return undefined;
  const { scopes } = shown.openness;
  if (scopes instanceof AllBut && scopes.closed.size === 0) return undefined;
  return visibleOf(useGraph.getState().document.nodes, shown.openness);
}

export function visibleOf(nodes: GraphDocument["nodes"], openness: Openness): VisibleGraph {
  const wiring = wiringOf(nodes);
  const hierarchy = hierarchyFor(nodes, openness.weights);
  const known = remembered.get(openness);
  if (known?.wiring === wiring && known.graph.hierarchy === hierarchy) return known.graph;
  const { since } = wiring;
  const isNext = known !== undefined && since !== undefined && known.wiring === since.before;
  const graph =
    isNext && known.graph.hierarchy.family === hierarchy.family
      ? visibleAfter(known.graph, hierarchy, openness.scopes, since)
      : visibleGraph(nodes, hierarchy, openness.scopes);
  remembered.set(openness, { wiring, graph });
  return graph;
}

/** The graph with the scopes that are found anew, in slices. `showVisible` makes it the one that is shown. */
export function* slicedVisibleOf(nodes: GraphDocument["nodes"], openness: Openness): Sliced<VisibleGraph> {
  const wiring = yield* slicedWiring(nodes);
  const hierarchy = yield* slicedHierarchy(nodes, openness.weights);
  const known = remembered.get(openness);
  if (known?.wiring === wiring && known.graph.hierarchy === hierarchy) return known.graph;
  return yield* slicedVisibleGraph(nodes, hierarchy, openness.scopes);
}

/** Has `visibleOf` answer with a graph of `slicedVisibleOf`. */
export function showVisible(nodes: GraphDocument["nodes"], openness: Openness, graph: VisibleGraph): void {
  adoptHierarchy(nodes, openness.weights, graph.hierarchy);
  remembered.set(openness, { wiring: wiringOf(nodes), graph });
}

/** The title of a node among others in its scope. */
export function drawnTitle(scope: Scope, node: NodeDef): string {
  return node.name.includes("/") ? labelIn(scope, node.name) : nodeTitle(node);
}

/** "×3" of a stack of three blocks; "" of any other scope. */
export function repeatText({ kind, children }: Scope): string {
  return kind === "stack" ? `×${children.length}` : "";
}

export function boxSize(scope: Scope): BoxSize {
  return sizeOfBox(scope.label, repeatText(scope));
}

/** The sources of a large graph's map before it is shown. */
const readyMaps = new WeakMap<Arrangement, { readonly of: readonly unknown[]; readonly map: GraphMap }>();

/** The map of what is drawn, with what was moved by hand where it was moved to. */
export function mapOfVisible(
  visible: VisibleGraph,
  arrangement: Arrangement,
  document: Pick<GraphDocument, "nodes" | "layout">,
  moved: ReadonlyMap<string, Point>,
): GraphMap {
  const ready = readyMaps.get(arrangement);
  const of = [visible, document.nodes, document.layout, moved, useOps.getState().ops];
  if (ready && areSame(ready.of, of)) return ready.map;
  return atOnce(slicedMap(visible, arrangement, document, moved));
}

/** Has `mapOfVisible` answer with what is made in slices. */
export function* slicedMapOfVisible(
  visible: VisibleGraph,
  arrangement: Arrangement,
  document: Pick<GraphDocument, "nodes" | "layout">,
  moved: ReadonlyMap<string, Point>,
): Sliced<void> {
  const of = [visible, document.nodes, document.layout, moved, useOps.getState().ops];
  const map = yield* slicedMap(visible, arrangement, document, moved);
  readyMaps.set(arrangement, { of, map });
}

function* slicedMap(
  visible: VisibleGraph,
  { places, frames, routes, origins }: Arrangement,
  document: Pick<GraphDocument, "nodes" | "layout">,
  moved: ReadonlyMap<string, Point>,
): Sliced<GraphMap> {
  const { outgoing } = wiringOf(document.nodes);
  const items: MapItem[] = [];
  const sides: number[] = [];
  const byHand = new Set<string>();
  /** Nodes that have come since the newest layout wait below it. */
  let below = 2 * BOX_HEIGHT;
  yield* paused(places.values(), ({ y }) => {
    below = Math.max(below, y + 2 * BOX_HEIGHT);
  });
  yield* paused(visible.items, (item) => {
    const around = item.kind === "node" ? item.scope.id : item.scope.parent;
    const own = item.kind === "node" ? document.layout.get(item.id) : moved.get(item.id);
    const origin = origins.get(around ?? "") ?? { x: 0, y: 0 };
    const isMoved = own !== undefined && item.kind !== "frame";
    if (isMoved) byHand.add(item.id);
    const { x, y } = isMoved
      ? { x: origin.x + own.x, y: origin.y + own.y }
      : (places.get(item.id) ?? { x: 0, y: below });
    const node = item.kind === "node" ? document.nodes.get(item.id) : undefined;
    if (item.kind === "node" && !node) return;
    const title = node ? drawnTitle(item.scope, node) : "";
    const size = node
      ? nodeSize(node, title, lookupOp, outgoing.get(item.id))
      : item.kind === "frame"
        ? (frames.get(item.id) ?? boxSize(item.scope))
        : boxSize(item.scope);
    sides.push(x, y, x + size.width, y + size.height);
    if (node) items.push({ kind: "node", id: item.id, node, title });
    else if (item.kind !== "node") items.push({ kind: item.kind, id: item.id, scope: item.scope });
  });
  const kept =
    byHand.size === 0
      ? routes
      : new Map(
          [...visible.edges.values()].flatMap(({ id, from, to }) => {
            const route = byHand.has(from) || byHand.has(to) ? undefined : routes.get(id);
            return route ? [[id, route] as const] : [];
          }),
        );
  yield;
  return mapFrom(items, Float64Array.from(sides), [...visible.edges.values()], kept);
}

/** The nodes of the graph that an item of the drawing stands for. */
export function nodesOfItem(item: MapItem): readonly string[] {
  if (item.kind === "node") return [item.id];
  const { document } = useGraph.getState();
  return nodesInScope(item.scope, hierarchyFor(document.nodes, opennessNow().weights));
}

/** The device that most of what an item stands for is pinned to; "" where that is none. */
export function deviceOfItem(item: MapItem): string {
  const preview = placementPreview();
  if (item.kind === "node") return shownDevice(item.node, preview);
  const { nodes } = useGraph.getState().document;
  const common = preview ? undefined : commonDevice(nodes);
  if (common !== undefined) return common;
  const counts = new Map<string, number>();
  let main = "";
  for (const name of nodesOfItem(item)) {
    const node = nodes.get(name);
    const device = node ? shownDevice(node, preview) : "";
    const count = (counts.get(device) ?? 0) + 1;
    counts.set(device, count);
    if (count > (counts.get(main) ?? 0)) main = device;
  }
  return main;
}

const commonDevices = new WeakMap<GraphDocument["nodes"], { readonly device: string | undefined }>();

/** The device of all nodes, if there is one: most large graphs are not pinned, and each of their scopes need not be counted. */
function commonDevice(nodes: GraphDocument["nodes"]): string | undefined {
  const known = commonDevices.get(nodes);
  if (known) return known.device;
  let device: string | undefined;
  for (const node of nodes.values()) {
    device ??= node.device;
    if (node.device === device) continue;
    device = undefined;
    break;
  }
  commonDevices.set(nodes, { device });
  return device;
}
