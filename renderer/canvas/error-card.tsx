/** Under the selected node: what is wrong with it, in words, and what fixes it. */
import { useStore } from "@xyflow/react";
import type { CSSProperties, ReactElement } from "react";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { NodeProblems, type NodeTrouble, useNodeTrouble } from "../parts/node-problems.js";
import { useGraph } from "../stores/document-store.js";
import { useGraphView } from "../stores/graph-view-store.js";
import { useUi } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { currentMap, itemShowing } from "../viewport/current-map.js";
import { nodeRect } from "../viewport/graph-map.js";
import type { Rect } from "../viewport/rect.js";
import { useCanvas } from "../viewport/view-store.js";
import styles from "./error-card.module.css";

const words = texts.canvas.errorCard;

const WIDTH = 288;
/** Between the node and the card, and between the card and the edge of the canvas, in CSS pixels. */
const GAP = 12;
const MARGIN = 8;
/** Where there is less room below the node, the card stands above it if there is more. */
const MIN_ROOM = 200;
/** Where not even this much of a card can be seen, as in a small window at 200 %, the inspector alone tells of it. */
const MIN_HEIGHT = 64;

export function ErrorCard(): ReactElement | null {
  const node = useGraph(({ selection, document }) => {
    const [name, second] = selection;
    return name === undefined || second !== undefined ? undefined : document.nodes.get(name);
  });
  return node ? <CardOf node={node} /> : null;
}

function CardOf({ node }: { readonly node: NodeDef }): ReactElement | null {
  const trouble = useNodeTrouble(node);
  return trouble ? <PlacedCard node={node} trouble={trouble} /> : null;
}

interface PlacedCardProps {
  readonly node: NodeDef;
  readonly trouble: NodeTrouble;
}

function PlacedCard({ node, trouble }: PlacedCardProps): ReactElement | null {
  const place = usePlace(node.name);
  const inspected = useUi((state) => (state.narrow ? state.inspectorOverlay : state.inspectorOpen));
  if (!place) return null;
  return (
    <section
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

/** Below the node, or above it at the lower edge of the canvas; undefined while the node is out of view, or there is no room. */
function usePlace(name: string): CSSProperties | undefined {
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
  const { left, top, right, bottom } = nodeRect(map, index);
  const seen: Rect = {
    left: (left - origin.x) * zoom + x,
    top: (top - origin.y) * zoom + y,
    right: (right - origin.x) * zoom + x,
    bottom: (bottom - origin.y) * zoom + y,
  };
  if (seen.right < 0 || seen.left > width || seen.bottom < 0 || seen.top > height) return undefined;
  const across = Math.max(MARGIN, Math.min(seen.left, width - WIDTH - MARGIN));
  const isBelow = height - seen.bottom > MIN_ROOM || seen.top < height - seen.bottom;
  const maxHeight = (isBelow ? height - seen.bottom : seen.top) - GAP - MARGIN;
  if (maxHeight < MIN_HEIGHT) return undefined;
  const vertical = isBelow ? { top: seen.bottom + GAP } : { bottom: height - seen.top + GAP };
  return { left: across, maxHeight, ...vertical };
}
