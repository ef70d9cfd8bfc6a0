/** Nodes and edges for React Flow, rebuilt only as far as the stores changed. */
import { useMemo, useRef } from "react";
import type { NodeRun, Transfer } from "../../main/api/runs.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { Point } from "../document/model.js";
import type { Edge as Wire } from "../document/wiring.js";
import { useCluster } from "../stores/cluster-store.js";
import { lookupOp, useDocument } from "../stores/document-store.js";
import { useOps } from "../stores/ops-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { useCanvas } from "../viewport/view-store.js";
import { type EdgeContext, flowEdges, type GraphFlowEdge } from "./flow-edges.js";
import { flowNodes, type GraphFlowNode } from "./flow-nodes.js";
import type { Scene } from "./use-scene.js";

/**
 * The nodes in view, and those beyond it that React Flow needs for an edge that is in view.
 *
 * @param moved how far the selected nodes are dragged from their positions in the document
 */
export function useFlowNodes(scene: Scene, moved: Point | undefined): GraphFlowNode[] {
  const document = useDocument((state) => state.document);
  const selection = useDocument((state) => state.selection);
  const ops = useOps((state) => state.ops);
  const origin = useCanvas((state) => state.origin);
  const shown = useShownNodes(scene, moved !== undefined);
  const known = useRef<ReadonlyMap<string, GraphFlowNode>>(new Map());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lookup answers differently once the ops are there
  const built = useMemo(() => {
    const nodes = flowNodes(document, lookupOp, selection, known.current, shown, origin);
    known.current = new Map(nodes.map((node) => [node.id, node]));
    return nodes;
  }, [document, selection, ops, shown, origin]);
  return useMemo(() => {
    if (!moved) return built;
    return built.map((node) => {
      if (!selection.has(node.id)) return node;
      const { x, y } = node.position;
      return { ...node, position: { x: x + moved.x, y: y + moved.y } };
    });
  }, [built, moved, selection]);
}

/** @param dragging the node under the pointer is held, so it must not be removed */
function useShownNodes(scene: Scene, dragging: boolean): readonly NodeDef[] {
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
    // In the document's order, which is the stacking order.
    return [...numbers].sort((one, other) => one - other).flatMap((index) => map.nodes[index] ?? []);
  }, [map, nodes, nodesInPicture, edges, pulled, single]);
}

/** The edges that are elements of the page. */
function useElementEdges({ map, edges, pictureEdges }: Scene): readonly Wire[] {
  return useMemo(() => {
    const inPicture = new Set(pictureEdges);
    return edges.flatMap((index) => (inPicture.has(index) ? [] : (map.edges[index] ?? [])));
  }, [map, edges, pictureEdges]);
}

const noRuns: readonly NodeRun[] = [];
const noTransfers: readonly Transfer[] = [];

/** What edges are drawn from; another object when any of it changed. */
export function useEdgeContext(): EdgeContext {
  const document = useDocument((state) => state.document);
  const shapes = useDocument((state) => state.shapes);
  const problems = useDocument((state) => state.problems);
  const ops = useOps((state) => state.ops);
  const selected = useCanvas((state) => state.selectedEdges);
  const tasks = useCluster((state) => state.identities);
  const trace = useTrace();
  // biome-ignore lint/correctness/useExhaustiveDependencies: tasks and ops are read through their stores
  return useMemo(() => {
    const problemInputs = new Set<string>();
    for (const [node, list] of problems) {
      for (const { input } of list) if (input !== undefined) problemInputs.add(`${node} ${input}`);
    }
    const { taskForDevice } = useCluster.getState();
    return { document, lookup: lookupOp, shapes, problemInputs, selected, taskForDevice, ...trace };
  }, [document, shapes, problems, ops, selected, tasks, trace]);
}

export function useFlowEdges(scene: Scene): GraphFlowEdge[] {
  const context = useEdgeContext();
  const shown = useElementEdges(scene);
  const known = useRef<ReadonlyMap<string, GraphFlowEdge>>(new Map());
  return useMemo(() => {
    const edges = flowEdges({ ...context, shown }, known.current);
    known.current = new Map(edges.map((edge) => [edge.id, edge]));
    return edges;
  }, [context, shown]);
}

/** The newest traced step, with stable objects until a newer one is traced. */
function useTrace(): { nodes: readonly NodeRun[]; transfers: readonly Transfer[] } {
  const nodes = useDocumentRun(({ latest }) => latest?.nodes ?? noRuns);
  const transfers = useDocumentRun(({ latest }) => latest?.transfers ?? noTransfers);
  return useMemo(() => ({ nodes, transfers }), [nodes, transfers]);
}
