import {
  BaseEdge,
  type ConnectionLineComponentProps,
  EdgeLabelRenderer,
  type EdgeProps,
} from "@xyflow/react";
import { type CSSProperties, memo, type ReactElement } from "react";
import { Icon } from "../ui/icon.js";
import { edgePath } from "../viewport/edge-path.js";
import type { GraphFlowEdge } from "./flow-edges.js";

export const GraphEdge = memo(function GraphEdge({
  id,
  sourceX,
  sourceY,
  targetX,
  targetY,
  selected,
  data,
}: EdgeProps<GraphFlowEdge>): ReactElement {
  const { path, middle } = edgePath({ x: sourceX, y: sourceY }, { x: targetX, y: targetY });
  const classes = ["e"];
  if (data?.colour) classes.push("x");
  if (data?.control) classes.push("ctrl");
  if (data?.problem) classes.push("bad");
  if (selected) classes.push("sel");
  const style = { strokeWidth: data?.width ?? 1.5, "--c": data?.colour } as CSSProperties;
  const at = { transform: `translate(-50%, -50%) translate(${middle.x}px, ${middle.y}px)` };
  return (
    <>
      <title>{data?.tip}</title>
      <BaseEdge id={id} path={path} className={classes.join(" ")} style={style} interactionWidth={14} />
      {data?.badge || data?.label ? (
        <EdgeLabelRenderer>
          {data.badge ? (
            <span
              className="edge-badge"
              title={data.badge.long}
              style={{ ...at, "--c": data.colour } as CSSProperties}
            >
              <Icon name="link" size={12} />
              {targetX - sourceX > badgeWidth(data.badge.long) ? data.badge.long : data.badge.short}
            </span>
          ) : (
            <span className="edge-label" style={at}>
              {data.label}
            </span>
          )}
        </EdgeLabelRenderer>
      ) : null}
    </>
  );
});

/** Rough width of a badge with its icon and a margin to both nodes, in pixels. */
function badgeWidth(text: string): number {
  return 44 + text.length * 5.4;
}

/** The edge that follows the pointer while it is dragged. */
export function PulledEdge({
  fromX,
  fromY,
  toX,
  toY,
  connectionStatus,
}: ConnectionLineComponentProps): ReactElement {
  const { path } = edgePath({ x: fromX, y: fromY }, { x: toX, y: toY });
  return (
    <g className={`pulled ${connectionStatus ?? ""}`}>
      <path d={path} />
      <circle cx={toX} cy={toY} r={4.5} />
    </g>
  );
}
