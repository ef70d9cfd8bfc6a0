/** React Flow over the document store: what it draws, and what the user's gestures mean. */
import {
  Background,
  type Connection,
  type EdgeChange,
  type NodeChange,
  type OnConnectEnd,
  type OnConnectStart,
  ReactFlow,
} from "@xyflow/react";
import { type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { whyNotConnect } from "../document/edits/connect.js";
import type { Point } from "../document/model.js";
import { documentActions, lookupOp, useDocument } from "../stores/document-store.js";
import { endDrag } from "../stores/drag-store.js";
import { onCanvasKey } from "./canvas-keys.js";
import { CanvasOverlays } from "./canvas-overlays.js";
import type { GraphFlowEdge } from "./flow-edges.js";
import type { GraphFlowNode } from "./flow-nodes.js";
import { GraphEdge, PulledEdge } from "./graph-edge.js";
import { GraphNode } from "./graph-node.js";
import { dropOnTask, overCanvas, placeOf, trackPinDrag } from "./pin-drag.js";
import { inputEnd, outputEnd } from "./ports.js";
import { useFlowEdges, useFlowNodes } from "./use-flow.js";
import { useStillGraph } from "./use-still-graph.js";
import { FIT_OPTIONS, fitGraph, type GraphFlow, useCanvas } from "./view-store.js";

const nodeTypes = { graph: GraphNode };
const edgeTypes = { graph: GraphEdge };
const SNAP: [number, number] = [8, 8];
/** During a drag: no node is anywhere else than the document says. */
const stayPut: ReadonlyMap<string, Point> = new Map();
const MULTI_SELECT = ["Meta", "Control", "Shift"];

export function GraphView(): ReactElement {
  const [moved, setMoved] = useState<ReadonlyMap<string, Point>>();
  const cancelled = useRef(false);
  const canvas = useRef<HTMLElement>(null);
  useStillGraph(canvas);
  const nodes = useFlowNodes(moved);
  const edges = useFlowEdges();
  const count = useDocument((state) => state.document.nodes.size);
  const generation = useDocument((state) => state.generation);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another document is what the effect waits for
  useEffect(() => {
    const frame = requestAnimationFrame(() => void useCanvas.getState().flow?.fitView(FIT_OPTIONS));
    return () => cancelAnimationFrame(frame);
  }, [generation]);

  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      cancelled.current = true;
      setMoved(undefined);
      endDrag();
    };
    if (!moved) return;
    window.addEventListener("keydown", onKey, true);
    return () => window.removeEventListener("keydown", onKey, true);
  }, [moved]);

  const onNodesChange = useCallback((changes: NodeChange<GraphFlowNode>[]) => {
    applySelection(changes);
    const positions = changes.flatMap((change) =>
      change.type === "position" && change.position ? [[change.id, change.position] as const] : [],
    );
    if (positions.length > 0 && !cancelled.current) {
      setMoved((before) => new Map([...(before ?? []), ...positions]));
    }
  }, []);

  const onDragStop = useCallback(
    (event: MouseEvent | TouchEvent | React.MouseEvent, _: GraphFlowNode, dragged: GraphFlowNode[]) => {
      const inside = overCanvas(placeOf(event));
      if (!cancelled.current && !dropOnTask() && inside) {
        documentActions.moveNodes(new Map(dragged.map(({ id, position }) => [id, position])));
      }
      endDrag();
      cancelled.current = false;
      setMoved(undefined);
    },
    [],
  );

  const connection = useMemo(connectionHandlers, []);

  return (
    <section
      ref={canvas}
      className="canvas"
      data-canvas=""
      role="application"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes the focus, its keys move between nodes
      tabIndex={0}
      aria-label={`Dataflow graph, ${count === 1 ? "1 node" : `${count} nodes`}. Press L for the list view.`}
      onKeyDown={onCanvasKeyDown}
      onBlur={onBlur}
      onPointerDownCapture={takeFocus}
    >
      <ReactFlow<GraphFlowNode, GraphFlowEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onInit={(flow: GraphFlow) => {
          useCanvas.setState({ flow });
          fitGraph();
        }}
        onNodesChange={onNodesChange}
        onEdgesChange={applyEdgeSelection}
        onNodeDrag={(event, _, dragged) => {
          const place = placeOf(event);
          // Outside the canvas a ghost is dragged, and the nodes stay where they were.
          if (!overCanvas(place)) setMoved(stayPut);
          if (!cancelled.current)
            trackPinDrag(
              dragged.map(({ id }) => id),
              place,
            );
        }}
        onNodeDragStop={onDragStop}
        {...connection}
        connectionLineComponent={PulledEdge}
        connectionRadius={24}
        snapToGrid
        snapGrid={SNAP}
        nodeDragThreshold={4}
        autoPanOnNodeDrag={false}
        nodesFocusable={false}
        edgesFocusable={false}
        disableKeyboardA11y
        deleteKeyCode={null}
        multiSelectionKeyCode={MULTI_SELECT}
        elevateNodesOnSelect={false}
        onlyRenderVisibleElements
        minZoom={0.05}
        maxZoom={2}
        fitView
        fitViewOptions={FIT_OPTIONS}
      >
        <Background gap={16} size={2} color="var(--grid)" />
      </ReactFlow>
      <CanvasOverlays />
    </section>
  );
}

/** React Flow keeps presses on nodes and on the pane from moving the focus. The ring is for the keyboard only. */
function takeFocus({ target, currentTarget }: React.PointerEvent<HTMLElement>): void {
  if (!(target instanceof Element) || !target.closest(".react-flow__renderer")) return;
  currentTarget.dataset.pointer = "";
  currentTarget.focus({ preventScroll: true });
}

function onCanvasKeyDown(event: React.KeyboardEvent<HTMLElement>): void {
  delete event.currentTarget.dataset.pointer;
  onCanvasKey(event);
}

function onBlur({ currentTarget }: React.FocusEvent<HTMLElement>): void {
  delete currentTarget.dataset.pointer;
}

function applySelection(changes: readonly NodeChange<GraphFlowNode>[]): void {
  const selection = new Set(useDocument.getState().selection);
  let changed = false;
  for (const change of changes) {
    if (change.type !== "select") continue;
    changed = true;
    if (change.selected) selection.add(change.id);
    else selection.delete(change.id);
  }
  if (changed) documentActions.select(selection);
}

function applyEdgeSelection(changes: readonly EdgeChange<GraphFlowEdge>[]): void {
  const selected = new Set(useCanvas.getState().selectedEdges);
  const size = selected.size;
  let changed = false;
  for (const change of changes) {
    if (change.type !== "select") continue;
    changed = true;
    if (change.selected) selected.add(change.id);
    else selected.delete(change.id);
  }
  if (changed || selected.size !== size) useCanvas.setState({ selectedEdges: selected });
}

/** Pulling an edge: from a port to a port, or to empty space, where a menu opens. */
function connectionHandlers() {
  const ends = ({ source, target, sourceHandle, targetHandle }: Connection | GraphFlowEdge) => ({
    from: outputEnd(source, sourceHandle ?? "o0"),
    to: inputEnd(target, targetHandle ?? "i0"),
  });
  const onConnectStart: OnConnectStart = (_, { nodeId, handleId, handleType }) => {
    if (!nodeId || !handleId) return;
    const pulling =
      handleType === "source"
        ? ({ type: "output", end: outputEnd(nodeId, handleId) } as const)
        : ({ type: "input", end: inputEnd(nodeId, handleId) } as const);
    useCanvas.setState({ pulling, edgeMenu: undefined });
  };
  const onConnectEnd: OnConnectEnd = (event, state) => {
    const { pulling: from, flow } = useCanvas.getState();
    useCanvas.setState({ pulling: undefined });
    const place = placeOf(event);
    if (!from || !flow || state.toHandle || state.toNode || !overCanvas(place)) return;
    const screen = { x: place.clientX, y: place.clientY };
    useCanvas.setState({ edgeMenu: { from, at: flow.screenToFlowPosition(screen), screen } });
  };
  return {
    onConnectStart,
    onConnectEnd,
    onConnect: (made: Connection) => {
      const { from, to } = ends(made);
      documentActions.connect(from, to);
    },
    isValidConnection: (tried: Connection | GraphFlowEdge) => {
      const { from, to } = ends(tried);
      return whyNotConnect(useDocument.getState().document, lookupOp, from, to) === undefined;
    },
  };
}
