/** Nodes and edges for React Flow, rebuilt only as far as the stores changed. */
import { useMemo, useRef } from "react";
import type { NodeRun, Transfer } from "../../main/api/runs.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { GraphDocument, Point } from "../document/model.js";
import { useCluster } from "../stores/cluster-store.js";
import { lookupOp, useGraph } from "../stores/document-store.js";
import { useOps } from "../stores/ops-store.js";
import { usePlacementPreview } from "../stores/placement-preview.js";
import { useGraphRun } from "../stores/run-store.js";
import { tensorBytes } from "../stores/sent-bytes.js";
import { type GraphMap, type MapEdge, type MapItem, nodeRect } from "../viewport/graph-map.js";
import { useCanvas } from "../viewport/view-store.js";
import { type EdgeContext, flowEdges, type GraphFlowEdge } from "./flow-edges.js";
import { type CanvasNode, flowNodes, isGraphNode } from "./flow-nodes.js";
import { scopeNodes } from "./scope-nodes.js";
import type { Scene } from "./use-scene.js";

/**
 * The nodes in view, and nodes out of view that React Flow needs for a visible edge.
 *
 * @param moved how far the selected nodes are dragged from their positions in the document
 */
export function useFlowNodes(scene: Scene, moved: Point | undefined): CanvasNode[] {
  const document = useGraph((state) => state.document);
  const selection = useGraph((state) => state.selection);
  const ops = useOps((state) => state.ops);
  const origin = useCanvas((state) => state.origin);
  const shown = useShownNodes(scene, moved !== undefined);
  const known = useRef<ReadonlyMap<string, CanvasNode>>(new Map());
  const { map } = scene;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lookup answers differently once the ops are there
  const built = useMemo(() => {
    const items = shown.flatMap((index) => map.items[index] ?? []);
    const nodes = flowNodes(
      { ...document, layout: placesOf(map, shown) },
      lookupOp,
      selection,
      new Map([...known.current.values()].filter(isGraphNode).map((node) => [node.id, node])),
      items.flatMap((item) => (item.kind === "node" ? [item.node] : [])),
      origin,
      titlesIn(items),
    );
    const scopes = scopeNodes(map, shown, selection, known.current, origin);
    const byId = new Map<string, CanvasNode>([...nodes, ...scopes].map((node) => [node.id, node]));
    known.current = byId;
    // In the order of the drawing, which is the stacking order.
    return items.flatMap(({ id }) => byId.get(id) ?? []);
  }, [document, selection, ops, shown, map, origin]);
  return useMemo(() => {
    if (!moved) return built;
    return built.map((node) => {
      if (!node.selected || (node.type === "scope" && node.data.kind === "frame")) return node;
      const { x, y } = node.position;
      return { ...node, position: { x: x + moved.x, y: y + moved.y } };
    });
  }, [built, moved]);
}

function titlesIn(items: readonly MapItem[]): (node: NodeDef) => string {
  const titles = new Map(items.flatMap((item) => (item.kind === "node" ? [[item.id, item.title]] : [])));
  return ({ name }) => titles.get(name) ?? name;
}

function placesOf(map: GraphMap, shown: readonly number[]): GraphDocument["layout"] {
  return new Map(
    shown.map((index): [string, Point] => {
      const { left, top } = nodeRect(map, index);
      return [map.items[index]?.id ?? "", { x: left, y: top }];
    }),
  );
}

/** @param dragging the node under the pointer is held, so it must not be removed */
function useShownNodes(scene: Scene, dragging: boolean): readonly number[] {
  const { map, nodes, nodesInPicture } = scene;
  const pulled = useCanvas((state) => state.pulling?.end.node);
  const pointed = useCanvas((state) => state.pointedNode);
  const held = useRef<string>(undefined);
  if (!dragging) held.current = pointed;
  const single = dragging ? held.current : pointed;
  const edges = useElementEdges(scene);
  return useMemo(() => {
    const numbers = new Set(nodesInPicture ? [] : nodes);
    const add = (name: string | undefined) => {
      const index = name === undefined ? undefined : map.indexOf.get(name);
      if (index !== undefined) numbers.add(index);
    };
    for (const { from, to } of edges) {
      add(from);
      add(to);
    }
    add(pulled);
    add(single);
    return [...numbers].sort((one, other) => one - other);
  }, [map, nodes, nodesInPicture, edges, pulled, single]);
}

/** The edges that are elements of the page. */
function useElementEdges({ map, edges, pictureEdges }: Scene): readonly MapEdge[] {
  return useMemo(() => {
    const inPicture = new Set(pictureEdges);
    return edges.flatMap((index) => (inPicture.has(index) ? [] : (map.edges[index] ?? [])));
  }, [map, edges, pictureEdges]);
}

const noRuns: readonly NodeRun[] = [];
const noTransfers: readonly Transfer[] = [];

/** The sources of drawn edges; another object when any of it changed. */
export function useEdgeContext(): EdgeContext {
  const document = useGraph((state) => state.document);
  const shapes = useGraph((state) => state.shapes);
  const problems = useGraph((state) => state.problems);
  const ops = useOps((state) => state.ops);
  const selected = useCanvas((state) => state.selectedEdges);
  const tasks = useCluster((state) => state.identities);
  const trace = useTrace();
  const preview = usePlacementPreview();
  // biome-ignore lint/correctness/useExhaustiveDependencies: tasks and ops are read through their stores
  return useMemo(() => {
    const { taskForDevice } = useCluster.getState();
    return {
      ...{ document, lookup: lookupOp, shapes, problems, selected, taskForDevice, ...trace },
      preview: preview && { ...preview, bytesOf: tensorBytes() },
    };
  }, [document, shapes, problems, ops, selected, tasks, trace, preview]);
}

export function useFlowEdges(scene: Scene): GraphFlowEdge[] {
  const context = useEdgeContext();
  const shown = useElementEdges(scene);
  const known = useRef<ReadonlyMap<string, GraphFlowEdge>>(new Map());
  const origin = useCanvas((state) => state.origin);
  const { routes } = scene.map;
  return useMemo(() => {
    const edges = flowEdges({ ...context, shown, routes, origin }, known.current);
    known.current = new Map(edges.map((edge) => [edge.id, edge]));
    return edges;
  }, [context, shown, routes, origin]);
}

/** The newest traced step, with stable objects until a newer one is traced. */
function useTrace(): { nodes: readonly NodeRun[]; transfers: readonly Transfer[] } {
  const nodes = useGraphRun(({ latest }) => latest?.nodes ?? noRuns);
  const transfers = useGraphRun(({ latest }) => latest?.transfers ?? noTransfers);
  return useMemo(() => ({ nodes, transfers }), [nodes, transfers]);
}
