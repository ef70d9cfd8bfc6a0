/** Closed scopes and frames of open ones in React Flow's form. */
import { Position } from "@xyflow/react";
import type { Point } from "../document/model.js";
import { BOX_PORT_Y } from "../document/node-size.js";
import { texts } from "../texts/texts.js";
import { type GraphMap, type MapItem, nodeRect } from "../viewport/graph-map.js";
import { isSelected } from "../viewport/move-items.js";
import type { CanvasNode, ScopeFlowNode } from "./flow-nodes.js";

const words = texts.canvas.scopeNodes;

/** Its name for a screen reader, in place of React Flow's own word. */
const AS_SCOPE = { "aria-roledescription": words.scope };

/** Size of the ports of a box in pixels, as in the style sheet. */
const PORT_SIZE = 7;

/**
 * Unchanged ones are the same objects as before, so React Flow and React skip them.
 *
 * @param shown numbers of the items of the map that React Flow is to know
 * @param origin the point of the graph that is zero for React Flow
 */
export function scopeNodes(
  map: GraphMap,
  shown: readonly number[],
  selection: ReadonlySet<string>,
  before: ReadonlyMap<string, CanvasNode>,
  origin: Point,
): ScopeFlowNode[] {
  return shown.flatMap((index) => {
    const item = map.items[index];
    return item && item.kind !== "node" ? [scopeNode(map, index, item, selection, before, origin)] : [];
  });
}

function scopeNode(
  map: GraphMap,
  index: number,
  item: Exclude<MapItem, { kind: "node" }>,
  selection: ReadonlySet<string>,
  before: ReadonlyMap<string, CanvasNode>,
  origin: Point,
): ScopeFlowNode {
  const { left, top, right, bottom } = nodeRect(map, index);
  const position = { x: left - origin.x, y: top - origin.y };
  const [width, height] = [right - left, bottom - top];
  const selected = isSelected(item, selection);
  const known = before.get(item.id);
  if (
    known?.type === "scope" &&
    known.data.kind === item.kind &&
    known.data.scope === item.scope &&
    known.selected === selected &&
    known.position.x === position.x &&
    known.position.y === position.y &&
    known.width === width &&
    known.height === height
  ) {
    return known;
  }
  const { label, size } = item.scope;
  return {
    id: item.id,
    type: "scope",
    position,
    selected,
    data: { kind: item.kind, scope: item.scope },
    width,
    height,
    measured: { width, height },
    ...(item.kind === "box"
      ? { handles: boxHandles(width) }
      : // Only the title of a frame reacts; what is in it lies above it.
        { draggable: false, zIndex: -1, style: { pointerEvents: "none" as const }, handles: [] }),
    ariaLabel: (item.kind === "box" ? words.closed : words.open)({ label, count: size }),
    domAttributes: AS_SCOPE,
  };
}

/** One port for data and one for control edges on each side, at one place. */
function boxHandles(width: number): NonNullable<ScopeFlowNode["handles"]> {
  const handle = (type: "source" | "target", id: string) => ({
    id,
    type,
    position: type === "target" ? Position.Left : Position.Right,
    x: (type === "target" ? 0 : width) - PORT_SIZE / 2,
    y: BOX_PORT_Y - PORT_SIZE / 2,
    width: PORT_SIZE,
    height: PORT_SIZE,
  });
  return [
    ...["i0", "control-in"].map((id) => handle("target", id)),
    ...["o0", "control-out"].map((id) => handle("source", id)),
  ];
}
