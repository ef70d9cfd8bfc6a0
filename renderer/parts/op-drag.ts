/** Dragging an op out of the ops panel onto the canvas, where letting go adds it. */
import { combine } from "@atlaskit/pragmatic-drag-and-drop/combine";
import {
  draggable,
  dropTargetForElements,
  monitorForElements,
} from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { disableNativeDragPreview } from "@atlaskit/pragmatic-drag-and-drop/element/disable-native-drag-preview";
import { dataEdge, type Edge } from "../document/wiring.js";
import { documentActions, useGraph } from "../stores/document-store.js";
import { endDrag, useDrag } from "../stores/drag-store.js";
import { texts } from "../texts/texts.js";
import { toGraph } from "../viewport/view.js";

const words = texts.parts.opDrag;

/** Nodes stand on this grid, in pixels at 100 % zoom. */
const GRID = 8;

const OP = "op";

function opOf(data: Record<string | symbol, unknown>): string | undefined {
  const op = data[OP];
  return typeof op === "string" ? op : undefined;
}

/** Lets an element be dragged as an op. Answers how to end that. */
export function dragsOp(element: HTMLElement, op: string): () => void {
  return draggable({
    element,
    getInitialData: () => ({ [OP]: op }),
    // The canvas draws how the node will look, at its zoom.
    onGenerateDragPreview: ({ nativeSetDragImage }) => disableNativeDragPreview({ nativeSetDragImage }),
  });
}

/** Lets ops be dropped on the canvas, and follows the pointer with what letting go would do. Answers how to end that. */
export function takesOps(canvas: HTMLElement): () => void {
  return combine(
    dropTargetForElements({ element: canvas, canDrop: ({ source }) => opOf(source.data) !== undefined }),
    monitorForElements({
      canMonitor: ({ source }) => opOf(source.data) !== undefined,
      onDrag: ({ source, location: { current } }) => {
        const op = opOf(source.data);
        const { clientX: x, clientY: y } = current.input;
        const lands = current.dropTargets.length > 0;
        const edge = lands ? edgeAt(x, y) : undefined;
        const drop = (added: string) =>
          edge ? words.insert({ op: added, from: edge.from, to: edge.to }) : words.add({ op: added });
        useDrag.setState({
          op,
          pointer: { x, y },
          status: lands && op !== undefined ? drop(op) : undefined,
        });
      },
      onDrop: ({ source, location: { current } }) => {
        endDrag();
        const op = opOf(source.data);
        if (op === undefined || current.dropTargets.length === 0) return;
        const { clientX: x, clientY: y } = current.input;
        const point = toGraph({ x, y });
        const at = { x: onGrid(point.x), y: onGrid(point.y) };
        const edge = edgeAt(x, y);
        if (edge) documentActions.insertOnEdge(op, { node: edge.to, input: edge.input }, at);
        else documentActions.addNode(op, at);
      },
    }),
  );
}

/** The edge that is drawn at a point of the screen, if a node can be inserted on it. */
function edgeAt(x: number, y: number): Edge | undefined {
  const id = document.elementFromPoint(x, y)?.closest<HTMLElement>(".react-flow__edge")?.dataset.id;
  return id === undefined ? undefined : dataEdge(useGraph.getState().document.nodes, id);
}

function onGrid(length: number): number {
  return Math.round(length / GRID) * GRID;
}
