/** Which part of the graph is in view, and whether it is drawn as DOM elements or as a picture. */
import { type ReactFlowState, useStore } from "@xyflow/react";
import { useCallback, useMemo } from "react";
import { useGraph } from "../stores/document-store.js";
import { useGraphView } from "../stores/graph-view-store.js";
import { useOps } from "../stores/ops-store.js";
import { currentMap } from "../viewport/current-map.js";
import { edgesIn, type GraphMap, nodesIn } from "../viewport/graph-map.js";
import type { Rect } from "../viewport/rect.js";
import { useCanvas } from "../viewport/view-store.js";

/**
 * DOM elements cost about a thousand times as much as a stroke of a picture; beyond these numbers they freeze the page.
 */
const MAX_NODE_ELEMENTS = 400;
const MAX_EDGE_ELEMENTS = 300;
/** Longer edges, in canvas pixels, are always part of the picture, which draws only their visible parts. */
const MAX_ELEMENT_LENGTH = 8192;

export interface Scene {
  readonly map: GraphMap;
  /** Numbers of the items and edges in view or near it. */
  readonly nodes: readonly number[];
  readonly edges: readonly number[];
  /** True: nodes are drawn as a picture, and only those under the pointer are elements. */
  readonly nodesInPicture: boolean;
  /** Those of `edges` that are drawn as a picture. */
  readonly pictureEdges: readonly number[];
}

export function sceneOf(map: GraphMap, area: Rect): Scene {
  const nodes = nodesIn(map, area);
  const edges = edgesIn(map, area);
  const nodesInPicture = nodes.length > MAX_NODE_ELEMENTS;
  // An element of an edge needs its nodes to be elements.
  const allInPicture = nodesInPicture || edges.length > MAX_EDGE_ELEMENTS;
  const pictureEdges = allInPicture ? edges : edges.filter((index) => isLong(map, index));
  return { map, nodes, edges, nodesInPicture, pictureEdges };
}

function isLong({ ends }: GraphMap, index: number): boolean {
  const at = index * 4;
  const dx = (ends[at + 2] ?? 0) - (ends[at] ?? 0);
  const dy = (ends[at + 3] ?? 0) - (ends[at + 1] ?? 0);
  return Math.max(Math.abs(dx), Math.abs(dy)) > MAX_ELEMENT_LENGTH;
}

export function useScene(): Scene {
  const nodes = useGraph((state) => state.document.nodes);
  const layout = useGraph((state) => state.document.layout);
  const ops = useOps((state) => state.ops);
  const shown = useGraphView((state) => state.shown);
  const moved = useGraphView((state) => state.moved);
  const area = useAreaAround();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the map is of these
  const map = useMemo(() => currentMap(), [nodes, layout, ops, shown, moved]);
  return useMemo(() => sceneOf(map, area), [map, area]);
}

/** The part of the graph in view with some margin. Changes only when the view has moved by a good part of itself. */
function useAreaAround(): Rect {
  const origin = useCanvas((state) => state.origin);
  const select = useCallback(
    ({ transform: [x, y, zoom], width, height }: ReactFlowState): Rect => {
      const step = 2 ** Math.ceil(Math.log2(Math.max(width, height, 1) / zoom / 4));
      const down = (value: number) => Math.floor(value / step) * step;
      const up = (value: number) => Math.ceil(value / step) * step;
      return {
        left: down(origin.x - x / zoom),
        top: down(origin.y - y / zoom),
        right: up(origin.x + (width - x) / zoom),
        bottom: up(origin.y + (height - y) / zoom),
      };
    },
    [origin],
  );
  return useStore(select, isSame);
}

function isSame(one: Rect, other: Rect): boolean {
  return (
    one.left === other.left &&
    one.top === other.top &&
    one.right === other.right &&
    one.bottom === other.bottom
  );
}
