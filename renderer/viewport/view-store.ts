/** The state of the canvas beside the graph: overlays, the edge being pulled, selected edges. */
import type { ReactFlowInstance, Viewport } from "@xyflow/react";
import type { ConnectFrom } from "../document/edits/add.js";
import type { DataEnd } from "../document/edits/insert-on-edge.js";
import type { Point } from "../document/model.js";
import { perGraph } from "../stores/document-session.js";

/** The part of React Flow that is used outside its own elements: it moves the view and converts points. */
export type GraphFlow = Pick<
  ReactFlowInstance,
  | "getViewport"
  | "getZoom"
  | "setViewport"
  | "zoomIn"
  | "zoomOut"
  | "zoomTo"
  | "screenToFlowPosition"
  | "flowToScreenPosition"
>;

export interface CanvasStore {
  /** Undefined while another document is shown. */
  readonly flow: GraphFlow | undefined;
  /**
   * Where the view was when another document was shown, and the canvas on the screen, and of which document it is, by
   * its generation.
   */
  readonly left: { readonly view: Viewport; readonly canvas: Point; readonly generation: number } | undefined;
  /**
   * The point of the graph that is zero for React Flow. It follows the view, because browsers place and draw with the
   * digits of 32-bit numbers: ten million pixels away from zero, edges vanish and nodes jump by whole pixels.
   */
  readonly origin: Point;
  readonly listOpen: boolean;
  /** The rows of the list whose children are shown, by their ids. */
  readonly listExpanded: ReadonlySet<string>;
  /** Undefined: no choice; the map is shown for graphs of some size in a canvas that is not small. */
  readonly minimapOpen: boolean | undefined;
  /** Whether the canvas has little room. */
  readonly isSmall: boolean;
  readonly pinChooserOpen: boolean;
  /** The end that is held while an edge is pulled. */
  readonly pulling: ConnectFrom | undefined;
  /** Where an edge was dropped in empty space, or, without `from`, where an op will be added; `into`: on this edge. */
  readonly edgeMenu:
    | {
        readonly from: ConnectFrom | undefined;
        readonly into?: DataEnd;
        readonly at: Point;
        readonly screen: Point;
      }
    | undefined;
  /** The open context menu; `pointer`: at the pointer, so that what it adds goes there. */
  readonly contextMenu:
    | { readonly on: "nodes" | "edges" | "canvas"; readonly screen: Point; readonly pointer: boolean }
    | undefined;
  readonly selectedEdges: ReadonlySet<string>;
  /** The id of the frame or the note whose text is typed. */
  readonly editedAnnotation: string | undefined;
  /** The node and the edge under the pointer, where they are part of the picture and not elements of the page. */
  readonly pointedNode: string | undefined;
  readonly pointedEdge: string | undefined;
}

export const useCanvas = perGraph<CanvasStore>(() => ({
  flow: undefined,
  left: undefined,
  origin: { x: 0, y: 0 },
  listOpen: false,
  listExpanded: new Set<string>(),
  minimapOpen: undefined,
  isSmall: false,
  pinChooserOpen: false,
  pulling: undefined,
  edgeMenu: undefined,
  contextMenu: undefined,
  selectedEdges: new Set<string>(),
  editedAnnotation: undefined,
  pointedNode: undefined,
  pointedEdge: undefined,
}));
