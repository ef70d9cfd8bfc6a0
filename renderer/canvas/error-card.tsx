/** Beside the selected node: what is wrong with it, in words, and what fixes it. */
import { useStore } from "@xyflow/react";
import { type ReactElement, useLayoutEffect, useRef, useState } from "react";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { NodeProblems, type NodeTrouble, useNodeTrouble } from "../parts/node-problems.js";
import { useGraph } from "../stores/document-store.js";
import { useGraphView } from "../stores/graph-view-store.js";
import { useUi } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { currentMap, itemShowing } from "../viewport/current-map.js";
import { nodeRect } from "../viewport/graph-map.js";
import { overlap, type Rect } from "../viewport/rect.js";
import { useCanvas } from "../viewport/view-store.js";
import { type CardPlace, freePlace, placeOverOthers, type Size } from "./card-place.js";
import styles from "./error-card.module.css";

const words = texts.canvas.errorCard;

const WIDTH = 288;
/** A guess at the height of a card that was not drawn yet. */
const FIRST_HEIGHT = 160;

export function ErrorCard(): ReactElement | null {
  const node = useGraph(({ selection, document }) => {
    const [name, second] = selection;
    return name === undefined || second !== undefined ? undefined : document.nodes.get(name);
  });
  return node ? <CardOf node={node} /> : null;
}

function CardOf({ node }: { readonly node: NodeDef }): ReactElement | null {
  const trouble = useNodeTrouble(node);
  return trouble ? <PlacedCard key={node.name} node={node} trouble={trouble} /> : null;
}

interface PlacedCardProps {
  readonly node: NodeDef;
  readonly trouble: NodeTrouble;
}

function PlacedCard({ node, trouble }: PlacedCardProps): ReactElement | null {
  const inspected = useUi((state) => (state.narrow ? state.inspectorOverlay : state.inspectorOpen));
  const card = useRef<HTMLElement>(null);
  const [height, setHeight] = useState(FIRST_HEIGHT);
  const place = usePlace(node.name, { width: WIDTH, height }, inspected);
  useLayoutEffect(() => {
    if (card.current) setHeight(card.current.scrollHeight);
  });
  if (!place) return null;
  return (
    <section
      ref={card}
      className={styles.card}
      style={place}
      aria-label={words.label({ node: node.name })}
      data-node-problems=""
      // It may be scrolled by keyboard.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
      tabIndex={0}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        document.querySelector<HTMLElement>("[data-canvas]")?.focus();
      }}
    >
      {/* The inspector says the same. */}
      <NodeProblems node={node} trouble={trouble} announced={!inspected} />
    </section>
  );
}

/**
 * Where the card hides nothing. Undefined while the node is out of view, if there is no room, and if it would hide something
 * while the inspector says the same.
 */
function usePlace(name: string, card: Size, inspected: boolean): CardPlace | undefined {
  const [x, y, zoom] = useStore((state) => state.transform);
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const origin = useCanvas((state) => state.origin);
  // The map, which follows them, is looked up below.
  useGraph((state) => state.document.layout);
  useGraphView((state) => state.shown);
  const map = currentMap();
  const index = map.indexOf.get(itemShowing(name) ?? "");
  if (index === undefined) return undefined;
  const seen = (at: number): Rect => {
    const { left, top, right, bottom } = nodeRect(map, at);
    return {
      left: (left - origin.x) * zoom + x,
      top: (top - origin.y) * zoom + y,
      right: (right - origin.x) * zoom + x,
      bottom: (bottom - origin.y) * zoom + y,
    };
  };
  const node = seen(index);
  const view = { left: 0, top: 0, right: width, bottom: height };
  if (!overlap(node, view)) return undefined;
  const others = map.items.flatMap(({ kind }, at) => {
    if (at === index || kind === "frame") return [];
    const rect = seen(at);
    return overlap(rect, view) ? [rect] : [];
  });
  const surroundings = { node, others, canvas: { width, height }, card };
  return freePlace(surroundings) ?? (inspected ? undefined : placeOverOthers(surroundings));
}
