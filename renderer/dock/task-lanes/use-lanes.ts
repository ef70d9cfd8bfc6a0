/** The lanes of the open document: one per task of the cluster, and what the canvas draws in them. */
import { useMemo } from "react";
import type { NodeRun, Transfer } from "../../../main/api/runs.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { taskDevice, taskName } from "../../cluster/task-name.js";
import { deviceText } from "../../document/edits/place.js";
import type { Edge } from "../../document/wiring.js";
import type { SentBytes } from "../../placement/crossings.js";
import { type TaskIdentity, useCluster } from "../../stores/cluster-store.js";
import { useDocument } from "../../stores/document-store.js";
import { useGraphView } from "../../stores/graph-view-store.js";
import { useDocumentRun } from "../../stores/run-store.js";
import { sentNow, tensorBytes } from "../../stores/sent-bytes.js";
import { texts } from "../../texts/texts.js";
import { currentMap } from "../../viewport/current-map.js";
import type { MapEdge, MapItem } from "../../viewport/graph-map.js";
import { nodesOfItem } from "../../viewport/shown-graph.js";
import { type LaneLayout, layLanes } from "./lane-layout.js";

export interface Lane {
  /** "worker/0", "auto", or a device that names no task. */
  readonly name: string;
  /** The task to which a drop pins nodes. */
  readonly device: string;
  /** Undefined for "auto", and for a device that names no task of the cluster. */
  readonly task: TaskIdentity | undefined;
}

/** The tensors that are sent from one item to another on another task. */
export interface LaneEdge {
  /** Positions in `LaneLayout.items`. */
  readonly from: number;
  readonly to: number;
  /** 0 for edges that only order nodes. */
  readonly bytes: number;
  readonly crosses: boolean;
}

export interface Lanes {
  readonly lanes: readonly Lane[];
  readonly layout: LaneLayout;
  readonly edges: readonly LaneEdge[];
  /** Between tasks in a step, unpinned nodes being where the master will probably put them. */
  readonly sent: SentBytes;
  /** Items of the canvas; more than can be drawn are not laid out. */
  readonly count: number;
}

/** More items than this are not drawn. */
export const MOST_ITEMS = 500;

export function useLanes(): Lanes {
  const nodes = useDocument((state) => state.document.nodes);
  const shapes = useDocument((state) => state.shapes);
  const places = useDocument((state) => state.document.layout);
  const shown = useGraphView((state) => state.shown);
  const moved = useGraphView((state) => state.moved);
  const identities = useCluster((state) => state.identities);
  const runs: readonly NodeRun[] | undefined = useDocumentRun((state) => state.latest?.nodes);
  const transfers: readonly Transfer[] | undefined = useDocumentRun((state) => state.latest?.transfers);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the map and the bytes are read through their stores
  return useMemo(
    () => lanesOf(nodes, identities),
    [nodes, shapes, places, shown, moved, identities, runs, transfers],
  );
}

function lanesOf(nodes: ReadonlyMap<string, NodeDef>, tasks: readonly TaskIdentity[]): Lanes {
  const map = currentMap();
  const drawn = map.items.filter(({ kind }) => kind !== "frame");
  const { lanes, laneOf } = lanesFor(nodes, tasks);
  const isTooMany = drawn.length > MOST_ITEMS;
  const items = isTooMany
    ? []
    : drawn.map((item) => ({ id: item.id, label: labelOf(item), names: nodesOfItem(item) }));
  const layout = layLanes({ items, edges: map.edges }, lanes.length, laneOf);
  return {
    lanes,
    layout,
    edges: isTooMany ? [] : edgesOf(layout, map.edges, nodes, laneOf),
    sent: sentNow(),
    count: drawn.length,
  };
}

function labelOf(item: MapItem): string {
  return item.kind === "node" ? item.title : item.scope.label;
}

/** The tasks in the order of the cluster, then other devices that nodes are pinned to, "auto" last. */
function lanesFor(nodes: ReadonlyMap<string, NodeDef>, tasks: readonly TaskIdentity[]) {
  const lanes: Lane[] = tasks.map((task) => ({ name: taskName(task), device: taskDevice(task), task }));
  const numbers = new Map<string, number>();
  const { taskForDevice } = useCluster.getState();
  for (const { device } of nodes.values()) {
    if (device === "" || numbers.has(device)) continue;
    const task = taskForDevice(device);
    const name = task ? taskName(task) : deviceText(device);
    const known = lanes.findIndex((lane) => lane.name === name);
    numbers.set(device, known < 0 ? lanes.length : known);
    if (known < 0) lanes.push({ name, device, task: undefined });
  }
  numbers.set("", lanes.length);
  lanes.push({ name: texts.dock.useLanes.auto, device: "", task: undefined });
  return { lanes, laneOf: (name: string) => numbers.get(nodes.get(name)?.device ?? "") ?? 0 };
}

function edgesOf(
  { items }: LaneLayout,
  edges: readonly MapEdge[],
  nodes: ReadonlyMap<string, NodeDef>,
  laneOf: (name: string) => number,
): LaneEdge[] {
  const positions = new Map(items.map(({ id, lane }, position) => [`${lane} ${id}`, position]));
  const bytesOf = tensorBytes();
  const found = new Map<string, LaneEdge>();
  for (const edge of edges) {
    const wires: readonly Edge[] = edge.wires ?? [edge];
    for (const { from, to, output } of wires) {
      const [source, target] = [laneOf(from), laneOf(to)];
      const start = positions.get(`${source} ${edge.from}`);
      const end = positions.get(`${target} ${edge.to}`);
      const node = nodes.get(from);
      if (start === undefined || end === undefined || start === end || !node) continue;
      const key = `${start} ${end}`;
      const crosses = source !== target;
      const bytes = (found.get(key)?.bytes ?? 0) + (crosses && output >= 0 ? bytesOf(node, output) : 0);
      found.set(key, { from: start, to: end, bytes, crosses });
    }
  }
  return [...found.values()];
}
