/** Nodes and edges for React Flow, rebuilt only as far as the stores changed. */
import { useMemo, useRef } from "react";
import type { NodeRun, Transfer } from "../../main/api/runs.js";
import type { Point } from "../document/model.js";
import { useCluster } from "../stores/cluster-store.js";
import { lookupOp, useDocument } from "../stores/document-store.js";
import { useOps } from "../stores/ops-store.js";
import { useRun } from "../stores/run-store.js";
import { flowEdges, type GraphFlowEdge } from "./flow-edges.js";
import { flowNodes, type GraphFlowNode } from "./flow-nodes.js";
import { useCanvas } from "./view-store.js";

/** @param moved positions during a drag, not yet part of the document */
export function useFlowNodes(moved: ReadonlyMap<string, Point> | undefined): GraphFlowNode[] {
  const document = useDocument((state) => state.document);
  const selection = useDocument((state) => state.selection);
  const ops = useOps((state) => state.ops);
  const known = useRef<ReadonlyMap<string, GraphFlowNode>>(new Map());
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lookup answers differently once the ops are there
  const built = useMemo(() => {
    const nodes = flowNodes(document, lookupOp, selection, known.current);
    known.current = new Map(nodes.map((node) => [node.id, node]));
    return nodes;
  }, [document, selection, ops]);
  return useMemo(() => {
    if (!moved) return built;
    return built.map((node) => {
      const position = moved.get(node.id);
      return position ? { ...node, position } : node;
    });
  }, [built, moved]);
}

const noRuns: readonly NodeRun[] = [];
const noTransfers: readonly Transfer[] = [];

export function useFlowEdges(): GraphFlowEdge[] {
  const document = useDocument((state) => state.document);
  const shapes = useDocument((state) => state.shapes);
  const problems = useDocument((state) => state.problems);
  const ops = useOps((state) => state.ops);
  const selected = useCanvas((state) => state.selectedEdges);
  const tasks = useTaskIdentities();
  const trace = useTrace();
  const known = useRef<ReadonlyMap<string, GraphFlowEdge>>(new Map());
  // biome-ignore lint/correctness/useExhaustiveDependencies: tasks and ops are read through their stores
  return useMemo(() => {
    const problemInputs = new Set<string>();
    for (const [node, list] of problems) {
      for (const { input } of list) if (input !== undefined) problemInputs.add(`${node} ${input}`);
    }
    const edges = flowEdges(
      {
        document,
        lookup: lookupOp,
        shapes,
        problemInputs,
        selected,
        taskForDevice: useCluster.getState().taskForDevice,
        ...trace,
      },
      known.current,
    );
    known.current = new Map(edges.map((edge) => [edge.id, edge]));
    return edges;
  }, [document, shapes, problems, ops, selected, tasks, trace]);
}

/** Changes when a task comes, goes or gets another colour, but not with every sample of its metrics. */
function useTaskIdentities(): string {
  return useCluster((state) =>
    state.tasks.map(({ id, job, index, colour }) => `${id} ${job} ${index} ${colour}`).join(),
  );
}

/** The newest traced step. A running run sends updates often; the trace in them is only taken over when it is new. */
function useTrace(): { nodes: readonly NodeRun[]; transfers: readonly Transfer[] } {
  const key = useRun(({ latest }) => (latest ? `${latest.runId} ${latest.tracedStep ?? 0}` : ""));
  return useMemo(() => {
    const { latest } = useRun.getState();
    return key === "" || !latest
      ? { nodes: noRuns, transfers: noTransfers }
      : { nodes: latest.nodes, transfers: latest.transfers };
  }, [key]);
}
