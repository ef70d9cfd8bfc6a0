import {
  BaseEdge,
  type ConnectionLineComponentProps,
  EdgeLabelRenderer,
  type EdgeProps,
} from "@xyflow/react";
import { type CSSProperties, memo, type ReactElement } from "react";
import { classNames } from "../ui/class-names.js";
import { Icon } from "../ui/icon.js";
import { edgePath, routePath } from "../viewport/edge-path.js";
import type { GraphFlowEdge } from "./flow-edges.js";
import styles from "./graph-edge.module.css";

export const GraphEdge = memo(function GraphEdge({
  id,
  sourceX,
  sourceY,
  targetX,
  targetY,
  selected,
  data,
}: EdgeProps<GraphFlowEdge>): ReactElement {
  const { path, middle } = data?.route
    ? routePath(data.route)
    : edgePath({ x: sourceX, y: sourceY }, { x: targetX, y: targetY });
  const className = classNames(
    styles.edge,
    data?.colour && styles.coloured,
    data?.control && styles.control,
    data?.change && styles.changing,
    data?.problem && styles.failing,
    selected && styles.selected,
  );
  const style = { strokeWidth: data?.width ?? 1.5, "--c": data?.colour } as CSSProperties;
  const at = { transform: `translate(-50%, -50%) translate(${middle.x}px, ${middle.y}px)` };
  return (
    <>
      <title>{data?.tip}</title>
      <BaseEdge
        id={id}
        path={path}
        {...(className === undefined ? {} : { className })}
        style={style}
        interactionWidth={14}
      />
      {data?.badge || data?.label ? (
        <EdgeLabelRenderer>
          {data.badge ? (
            <span
              className={styles.badge}
              title={data.badge.long}
              style={{ ...at, "--c": data.colour } as CSSProperties}
            >
              <Icon name={data.change === "stops" ? "check" : "link"} size={12} />
              {targetX - sourceX > badgeWidth(data.badge.long) ? data.badge.long : data.badge.short}
            </span>
          ) : (
            <span className={styles.label} style={at}>
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
    <g
      className={classNames(
        styles.pulled,
        connectionStatus === "valid" && styles.fitting,
        connectionStatus === "invalid" && styles.unfitting,
      )}
    >
      <path d={path} />
      <circle cx={toX} cy={toY} r={4.5} />
    </g>
  );
}
