/** React Flow over the document store: what it draws, and what the user's gestures mean. */
import {
  Background,
  type Connection,
  type NodeChange,
  type OnConnectEnd,
  type OnConnectStart,
  ReactFlow,
  useKeyPress,
  useStore,
  useStoreApi,
} from "@xyflow/react";
import { type ReactElement, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { listenToClipboard } from "../commands/clipboard-commands.js";
import { whyNotConnect } from "../document/edits/connect.js";
import type { Point } from "../document/model.js";
import { takesOps } from "../parts/op-drag.js";
import { draggedWith, dropOnTask, overCanvas, placeOf, trackPinDrag } from "../parts/pin-drag.js";
import { useActiveGraph } from "../stores/document-session.js";
import { documentActions, lookupOp, useGraph } from "../stores/document-store.js";
import { endDrag } from "../stores/drag-store.js";
import { useGraphView } from "../stores/graph-view-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { currentMap } from "../viewport/current-map.js";
import { nodeRect } from "../viewport/graph-map.js";
import { moveItems } from "../viewport/move-items.js";
import { inputEnd, outputEnd } from "../viewport/ports.js";
import type { Rect } from "../viewport/rect.js";
import { beginView, MAX_ZOOM, MIN_ZOOM, originFollowsView, toGraph } from "../viewport/view.js";
import { type GraphFlow, useCanvas } from "../viewport/view-store.js";
import { AnnotationLayer } from "./annotation-layer.js";
import { onCanvasKey } from "./canvas-keys.js";
import { CanvasOverlays } from "./canvas-overlays.js";
import {
  applyEdgeSelection,
  applyNodeSelection,
  namesOf,
  selectEdge,
  selectNothing,
  selectWithin,
} from "./canvas-selection.js";
import { openCanvasMenu } from "./context-menu.js";
import { doubleClickAt } from "./double-click.js";
import type { GraphFlowEdge } from "./flow-edges.js";
import type { CanvasNode } from "./flow-nodes.js";
import { GraphEdge, PulledEdge } from "./graph-edge.js";
import { GraphNode } from "./graph-node.js";
import { GraphPicture } from "./graph-picture.js";
import styles from "./graph-view.module.css";
import { FAR_ZOOM, SMALL_ZOOM } from "./picture.js";
import { revealWhatIsAdded } from "./reveal-added.js";
import { ScopeNode } from "./scope-node.js";
import { useArranged } from "./use-arranged.js";
import { useFlowEdges, useFlowNodes } from "./use-flow.js";
import { useInSteps } from "./use-in-steps.js";
import { usePicturePointer } from "./use-picture-pointer.js";
import { useScene } from "./use-scene.js";
import { useStillGraph } from "./use-still-graph.js";

const words = texts.canvas.graphView;

/** React Flow's descriptions of nodes and edges in the page; the words of its own controls are not shown. */
const DESCRIPTIONS = {
  "node.a11yDescription.default": words.aboutNodes,
  "edge.a11yDescription.default": words.aboutEdges,
};
const nodeTypes = { graph: GraphNode, scope: ScopeNode };
const edgeTypes = { graph: GraphEdge };
const SNAP: [number, number] = [8, 8];
/** During a drag: whether every node is at its position in the document. */
const STAY: Point = { x: 0, y: 0 };
const MULTI_SELECT = ["Meta", "Control", "Shift"];

export function GraphView(): ReactElement {
  /** How far the selected nodes are dragged. */
  const [moved, setMoved] = useState<Point>();
  const cancelled = useRef(false);
  /** Where the rectangle that selects nodes was begun. */
  const selectFrom = useRef<Point>(undefined);
  const canvas = useRef<HTMLElement>(null);
  const flowStore = useStoreApi<CanvasNode, GraphFlowEdge>();
  useStillGraph(canvas);
  useArranged(canvas);
  const scene = useScene();
  const { nodes, edges, isComplete } = useInSteps(useFlowNodes(scene, moved), useFlowEdges(scene));
  const picture = usePicturePointer(scene);
  const far = useStore(({ transform }) => transform[2] < FAR_ZOOM);
  const arranging = useGraphView((state) => state.arranging);
  const small = useStore(({ transform }) => transform[2] < SMALL_ZOOM);
  const panning = useKeyPress("Space");
  const count = useGraph((state) => state.document.nodes.size);
  const generation = useGraph((state) => state.generation);

  const session = useActiveGraph();

  // biome-ignore lint/correctness/useExhaustiveDependencies: another document is what the effect waits for
  useEffect(() => {
    const frame = requestAnimationFrame(beginView);
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

  const onNodesChange = useCallback(
    (changes: NodeChange<CanvasNode>[]) => {
      const { nodeLookup, multiSelectionActive } = flowStore.getState();
      applyNodeSelection(changes, multiSelectionActive, (name) => nodeLookup.has(name));
      const held = changes.find((change) => change.type === "position" && change.position);
      if (held?.type === "position" && held.position && !cancelled.current) {
        setMoved(distanceMoved(held.id, held.position));
      }
    },
    [flowStore],
  );

  const onDragStop = useCallback((event: MouseEvent | TouchEvent | React.MouseEvent, held: CanvasNode) => {
    const inside = overCanvas(placeOf(event));
    if (!cancelled.current && !dropOnTask() && inside) {
      moveItems(held.id, distanceMoved(held.id, held.position));
    }
    endDrag();
    cancelled.current = false;
    setMoved(undefined);
  }, []);

  const connection = useMemo(connectionHandlers, []);
  useEffect(() => (canvas.current ? takesOps(canvas.current) : undefined), []);
  useEffect(listenToClipboard, []);
  useEffect(revealWhatIsAdded, []);

  return (
    <section
      ref={canvas}
      className={classNames(styles.canvas, panning && styles.panning)}
      data-canvas=""
      aria-busy={arranging || !isComplete}
      data-far={far ? "" : undefined}
      data-small={small ? "" : undefined}
      role="application"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes the focus, its keys move between nodes
      tabIndex={0}
      aria-label={words.label({ count })}
      onKeyDown={onCanvasKeyDown}
      onBlur={onBlur}
      onPointerMove={picture.onPointerMove}
      onPointerDownCapture={(event) => {
        takeFocus(event);
        selectFrom.current = toGraph({ x: event.clientX, y: event.clientY });
      }}
      onMouseDownCapture={keepFromSelectingText}
      onContextMenu={(event) => openCanvasMenu(event, picture)}
      onDoubleClick={(event) => doubleClickAt(event, picture)}
    >
      <ReactFlow<CanvasNode, GraphFlowEdge>
        nodes={nodes}
        edges={edges}
        nodeTypes={nodeTypes}
        edgeTypes={edgeTypes}
        onInit={(flow: GraphFlow) => {
          useCanvas.of(session).setState({ flow });
          beginView();
        }}
        onNodesChange={onNodesChange}
        onNodeClick={({ shiftKey, ctrlKey, metaKey }, { id }) => {
          // React Flow leaves a selection of several as it is when one of them is pressed, in case it is dragged.
          if (!shiftKey && !ctrlKey && !metaKey) documentActions.select(namesOf(id));
        }}
        onEdgesChange={applyEdgeSelection}
        onPaneClick={({ clientX, clientY, shiftKey, ctrlKey, metaKey }) => {
          const { node, edge } = picture.hit({ x: clientX, y: clientY });
          const adding = shiftKey || ctrlKey || metaKey;
          if (node !== undefined) documentActions.select(namesOf(node), adding ? "toggle" : "replace");
          else if (edge !== undefined) selectEdge(edge, adding);
          else selectNothing();
        }}
        onSelectionEnd={({ clientX, clientY }) => {
          const from = selectFrom.current;
          if (from) selectWithin(spanned(from, toGraph({ x: clientX, y: clientY })));
        }}
        onMoveEnd={originFollowsView}
        onNodeDrag={(event, held) => {
          const place = placeOf(event);
          // Outside the canvas a ghost is dragged, and the nodes stay where they were.
          if (!overCanvas(place)) setMoved(STAY);
          if (!cancelled.current) trackPinDrag(draggedWith(namesOf(held.id)), place);
        }}
        onNodeDragStop={onDragStop}
        {...connection}
        connectionLineComponent={PulledEdge}
        connectionRadius={24}
        snapToGrid
        snapGrid={SNAP}
        zoomOnDoubleClick={false}
        nodeDragThreshold={4}
        autoPanOnNodeDrag={false}
        nodesFocusable={false}
        edgesFocusable={false}
        disableKeyboardA11y
        deleteKeyCode={null}
        multiSelectionKeyCode={MULTI_SELECT}
        elevateNodesOnSelect={false}
        onlyRenderVisibleElements
        ariaLabelConfig={DESCRIPTIONS}
        minZoom={MIN_ZOOM}
        maxZoom={MAX_ZOOM}
      >
        <Background gap={16} size={2} color="var(--grid)" />
        <AnnotationLayer onMove={setMoved} />
        <GraphPicture scene={scene} moved={moved} />
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

/** Otherwise a press with Shift would select text of the page starting at the last selected text. */
function keepFromSelectingText(event: React.MouseEvent<HTMLElement>): void {
  const { target, shiftKey } = event;
  if (shiftKey && target instanceof Element && target.closest(".react-flow__renderer"))
    event.preventDefault();
}

/** How far the held node has been dragged, which React Flow keeps separately. */
function distanceMoved(held: string, { x, y }: Point): Point {
  const { origin } = useCanvas.getState();
  const map = currentMap();
  const { left, top } = nodeRect(map, map.indexOf.get(held) ?? 0);
  return { x: x + origin.x - left, y: y + origin.y - top };
}

function spanned(one: Point, other: Point): Rect {
  return {
    left: Math.min(one.x, other.x),
    top: Math.min(one.y, other.y),
    right: Math.max(one.x, other.x),
    bottom: Math.max(one.y, other.y),
  };
}

/** Dragging an edge: from a port to a port, or to empty space, where a menu opens. */
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
    const { pulling: from } = useCanvas.getState();
    useCanvas.setState({ pulling: undefined });
    const place = placeOf(event);
    if (!from || state.toHandle || state.toNode || !overCanvas(place)) return;
    const screen = { x: place.clientX, y: place.clientY };
    useCanvas.setState({ edgeMenu: { from, at: toGraph(screen), screen } });
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
      return whyNotConnect(useGraph.getState().document, lookupOp, from, to) === undefined;
    },
  };
}
