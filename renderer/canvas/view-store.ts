/** What the canvas shows beside the graph: overlays, the edge being pulled, selected edges. */
import type { ReactFlowInstance } from "@xyflow/react";
import { create } from "zustand";
import type { ConnectFrom } from "../document/edits/add.js";
import type { Point } from "../document/model.js";
import type { GraphFlowEdge } from "./flow-edges.js";
import type { GraphFlowNode } from "./flow-nodes.js";

export type GraphFlow = ReactFlowInstance<GraphFlowNode, GraphFlowEdge>;

export interface CanvasStore {
  readonly flow: GraphFlow | undefined;
  readonly listOpen: boolean;
  readonly minimapOpen: boolean;
  readonly pinChooserOpen: boolean;
  /** The end that is held while an edge is pulled. */
  readonly pulling: ConnectFrom | undefined;
  /** Where an edge was let go in empty space. */
  readonly edgeMenu: { readonly from: ConnectFrom; readonly at: Point; readonly screen: Point } | undefined;
  readonly selectedEdges: ReadonlySet<string>;
}

export const useCanvas = create<CanvasStore>()(() => ({
  flow: undefined,
  listOpen: false,
  minimapOpen: true,
  pinChooserOpen: false,
  pulling: undefined,
  edgeMenu: undefined,
  selectedEdges: new Set<string>(),
}));

/** True where the user asked the system for less motion. */
export function reducedMotion(): boolean {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** Duration of a movement of the view, in milliseconds. */
export function viewDuration(): number {
  return reducedMotion() ? 0 : 180;
}

export const FIT_OPTIONS = { padding: 0.15, maxZoom: 1, minZoom: 0.05 } as const;

export function fitGraph(nodes?: readonly string[]): void {
  const { flow } = useCanvas.getState();
  void flow?.fitView({
    ...FIT_OPTIONS,
    duration: viewDuration(),
    ...(nodes ? { nodes: nodes.map((id) => ({ id })) } : {}),
  });
}

/** Free space between a node that was brought into view and the edge of the canvas, in CSS pixels. */
const REVEAL_MARGIN = 32;

/** Brings a node into view when it is not visible: by as little as that takes when it is near, else into the middle. */
export function revealNode(name: string): void {
  const { flow } = useCanvas.getState();
  const node = flow?.getInternalNode(name);
  const frame = document.querySelector("[data-canvas]")?.getBoundingClientRect();
  if (!flow || !node || !frame) return;
  const { x, y } = node.internals.positionAbsolute;
  const width = node.measured.width ?? 0;
  const height = node.measured.height ?? 0;
  const from = flow.flowToScreenPosition({ x, y });
  const to = flow.flowToScreenPosition({ x: x + width, y: y + height });
  const visible = from.x >= frame.left && from.y >= frame.top && to.x <= frame.right && to.y <= frame.bottom;
  if (visible) return;
  const dx = shiftInto(from.x, to.x, frame.left + REVEAL_MARGIN, frame.right - REVEAL_MARGIN);
  const dy = shiftInto(from.y, to.y, frame.top + REVEAL_MARGIN, frame.bottom - REVEAL_MARGIN);
  const isNear = Math.abs(dx) < frame.width / 2 && Math.abs(dy) < frame.height / 2;
  if (isNear && flow.getZoom() >= 0.5) {
    const view = flow.getViewport();
    void flow.setViewport({ ...view, x: view.x + dx, y: view.y + dy }, { duration: viewDuration() });
    return;
  }
  const zoom = Math.max(flow.getZoom(), 0.5);
  void flow.setCenter(x + width / 2, y + height / 2, { zoom, duration: viewDuration() });
}

/** How far a stretch has to be moved so that it lies within limits; its beginning counts where it does not fit. */
function shiftInto(from: number, to: number, least: number, most: number): number {
  if (from < least || to - from > most - least) return least - from;
  return to > most ? most - to : 0;
}

/** The middle of the visible part of the graph, in canvas coordinates. */
export function viewCentre(): Point {
  const { flow } = useCanvas.getState();
  const frame = document.querySelector("[data-canvas]")?.getBoundingClientRect();
  if (!flow || !frame) return { x: 0, y: 0 };
  return flow.screenToFlowPosition({ x: frame.left + frame.width / 2, y: frame.top + frame.height / 2 });
}
