/** Hit testing for the picture, which has no elements that the browser could find under the pointer. */
import { type PointerEvent, useMemo } from "react";
import { flushSync } from "react-dom";
import type { Point } from "../document/model.js";
import { lookupOp, useGraph } from "../stores/document-store.js";
import { edgeAt, nodeAt } from "../viewport/graph-map.js";
import { currentView, toGraph } from "../viewport/view.js";
import { useCanvas } from "../viewport/view-store.js";
import { edgeTip } from "./flow-edges.js";
import type { Scene } from "./use-scene.js";

/** Half the width of the stretch along an edge that reacts, in pixels of the screen. */
const EDGE_REACH = 7;

interface Hit {
  /** Names; undefined if there is none in the picture. */
  readonly node: string | undefined;
  readonly edge: string | undefined;
}

export interface PicturePointer {
  /** The item that is drawn at a point of the screen. */
  hit(screen: Point): Hit;
  onPointerMove(event: PointerEvent<HTMLElement>): void;
}

export function usePicturePointer({ map, nodes, nodesInPicture, pictureEdges }: Scene): PicturePointer {
  return useMemo(() => {
    const hitWith = (screen: Point) => {
      const at = toGraph(screen);
      const node = nodesInPicture ? nodeAt(map, nodes, at) : undefined;
      const edge =
        node === undefined ? edgeAt(map, pictureEdges, at, EDGE_REACH / currentView().zoom) : undefined;
      return {
        node: node === undefined ? undefined : map.items[node]?.id,
        wire: edge === undefined ? undefined : map.edges[edge],
      };
    };
    return {
      hit: (screen) => {
        const { node, wire } = hitWith(screen);
        return { node, edge: wire?.id };
      },
      onPointerMove: ({ buttons, clientX, clientY, target }) => {
        if (buttons !== 0 || !(target instanceof Element)) return;
        const pane = target.closest<HTMLElement>(".react-flow__pane");
        const overPane = pane === target;
        const { node, wire } = pane ? hitWith({ x: clientX, y: clientY }) : NOTHING;
        const edge = overPane ? wire : undefined;
        const { pointedNode, pointedEdge } = useCanvas.getState();
        if (pointedNode !== node || pointedEdge !== edge?.id) {
          // Immediately, so that a press finds the element of the node under it.
          flushSync(() => useCanvas.setState({ pointedNode: node, pointedEdge: edge?.id }));
        }
        if (!pane) return;
        const { document, shapes } = useGraph.getState();
        const tip = edge ? edgeTip(edge, { document, lookup: lookupOp, shapes }) : "";
        if (pane.title !== tip) pane.title = tip;
      },
    };
  }, [map, nodes, nodesInPicture, pictureEdges]);
}

const NOTHING = { node: undefined, wire: undefined };
