/** Keys of the canvas that move between nodes. Everything else is a command. */
import type { KeyboardEvent } from "react";
import { focusInspector } from "../commands/node-commands.js";
import { closedScopeCommands } from "../commands/scope-commands.js";
import type { Point } from "../document/model.js";
import { documentActions, useGraph } from "../stores/document-store.js";
import { currentMap, itemShowing } from "../viewport/current-map.js";
import { nodeRect } from "../viewport/graph-map.js";
import { moveItems } from "../viewport/move-items.js";
import { selectedBoxes } from "../viewport/selected-scopes.js";
import { revealItem } from "../viewport/view.js";
import { useCanvas } from "../viewport/view-store.js";
import { namesOf } from "./canvas-selection.js";
import { openCallOf } from "./double-click.js";

const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};
/** How much a step sideways costs against a step in the wanted direction. */
const SIDE_COST = 2.5;
/** Distance that Alt and an arrow move a node, in canvas pixels. */
const NUDGE = 8;

export function onCanvasKey(event: KeyboardEvent<HTMLElement>): void {
  if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey) return;
  const { selection } = useGraph.getState();
  const direction = ARROWS[event.key];
  if (direction && event.altKey) {
    nudge(selection, direction);
  } else if (direction) {
    step(neighbour(placesNow(), currentItem(selection), direction), event.shiftKey);
  } else if (event.key === "Tab") {
    const next = inOrder(placesNow(), currentItem(selection), event.shiftKey ? -1 : 1);
    // At the ends Tab leaves the canvas, so that keyboard users are not trapped in it.
    if (next === undefined) return;
    step(next, false);
  } else if (event.key === "Enter") {
    if (selectedBoxes().length > 0) closedScopeCommands.open.now().run();
    else if (!openSelectedCall(selection)) focusInspector();
  } else if (event.key === "Escape") {
    documentActions.select([]);
    useCanvas.setState({ selectedEdges: new Set() });
    return;
  } else {
    return;
  }
  event.preventDefault();
  event.stopPropagation();
}

function openSelectedCall(selection: ReadonlySet<string>): boolean {
  const [name] = selection;
  const node = name === undefined ? undefined : useGraph.getState().document.nodes.get(name);
  return selection.size === 1 && node !== undefined && openCallOf(node);
}

/** The item that the last selected node is drawn as. */
function currentItem(selection: ReadonlySet<string>): string | undefined {
  const last = [...selection].at(-1);
  return last === undefined ? undefined : itemShowing(last);
}

/** Top left corners of nodes and closed scopes. */
function placesNow(): ReadonlyMap<string, Point> {
  const map = currentMap();
  return new Map(
    map.items.flatMap(({ kind, id }, index): [string, Point][] => {
      const { left, top } = nodeRect(map, index);
      return kind === "frame" ? [] : [[id, { x: left, y: top }]];
    }),
  );
}

function step(id: string | undefined, add: boolean): void {
  if (id === undefined) return;
  documentActions.select(namesOf(id), add ? "add" : "replace");
  revealItem(id);
}

function nudge(selection: ReadonlySet<string>, { x, y }: Point): void {
  const held = currentItem(selection);
  if (held !== undefined) moveItems(held, { x: x * NUDGE, y: y * NUDGE });
}

/** The nearest node in a direction; the first node where none is selected. */
export function neighbour(
  places: ReadonlyMap<string, Point>,
  from: string | undefined,
  direction: Point,
): string | undefined {
  const start = from === undefined ? undefined : places.get(from);
  if (!start) return places.keys().next().value;
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const [name, point] of places) {
    if (name === from) continue;
    const dx = point.x - start.x;
    const dy = point.y - start.y;
    const along = dx * direction.x + dy * direction.y;
    if (along <= 0) continue;
    const aside = Math.abs(dx * direction.y) + Math.abs(dy * direction.x);
    const cost = along + SIDE_COST * aside;
    if (cost < least) {
      least = cost;
      best = name;
    }
  }
  return best;
}

/** The one before or after in the order of the drawing; undefined at its ends. */
function inOrder(
  places: ReadonlyMap<string, Point>,
  from: string | undefined,
  by: 1 | -1,
): string | undefined {
  const names = [...places.keys()];
  if (from === undefined) return by > 0 ? names[0] : names.at(-1);
  return names[names.indexOf(from) + by];
}
