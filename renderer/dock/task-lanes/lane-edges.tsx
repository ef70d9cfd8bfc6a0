import type { ReactElement } from "react";
import { taskColourVar } from "../../theme/task-colour.js";
import { bytesText } from "../../ui/format.js";
import { crossingWidth } from "../../viewport/edge-width.js";
import type { PlacedItem } from "./lane-layout.js";
import { ITEM_HEIGHT, ITEM_WIDTH, placeInLane } from "./lane-places.js";
import styles from "./lanes-tab.module.css";
import type { Lane, LaneEdge } from "./use-lanes.js";

interface LaneEdgesProps {
  readonly lanes: readonly Lane[];
  readonly items: readonly PlacedItem[];
  readonly edges: readonly LaneEdge[];
  readonly tops: readonly number[];
  readonly size: { readonly width: number; readonly height: number };
}

/** Edges behind the items: grey in a lane, in the sender's colour between two. The list view reads the wiring out. */
export function LaneEdges({ lanes, items, edges, tops, size }: LaneEdgesProps): ReactElement {
  const end = (item: PlacedItem, side: "left" | "right") => {
    const { left, top } = placeInLane(item);
    return {
      x: left + (side === "right" ? ITEM_WIDTH : 0),
      y: (tops[item.lane] ?? 0) + top + ITEM_HEIGHT / 2,
    };
  };
  return (
    <svg className={styles.edges} width={size.width} height={size.height} aria-hidden="true">
      {edges.map(({ from, to, bytes, crosses }) => {
        const [source, target] = [items[from], items[to]];
        if (!source || !target) return null;
        const [start, stop] = [end(source, "right"), end(target, "left")];
        const middle = (start.x + stop.x) / 2;
        const path = `M${start.x} ${start.y} C${middle} ${start.y} ${middle} ${stop.y} ${stop.x} ${stop.y}`;
        return (
          <g key={`${from} ${to}`}>
            <path
              d={path}
              stroke={crosses ? taskColourVar(lanes[source.lane]?.task) : "var(--line-3)"}
              strokeWidth={crosses ? crossingWidth(bytes) : 1}
            />
            {crosses && bytes > 0 ? (
              <text x={middle} y={(start.y + stop.y) / 2 - 4}>
                {bytesText(bytes)}
              </text>
            ) : null}
          </g>
        );
      })}
    </svg>
  );
}
