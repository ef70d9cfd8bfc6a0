/** Keys of the canvas that move between nodes. Everything else is a command. */
import type { KeyboardEvent } from "react";
import { focusInspector } from "../commands/node-commands.js";
import type { GraphDocument, Point } from "../document/model.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { revealNode } from "../viewport/view.js";
import { useCanvas } from "../viewport/view-store.js";

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
  const { document, selection } = useDocument.getState();
  const direction = ARROWS[event.key];
  if (direction && event.altKey) {
    nudge(document, selection, direction);
  } else if (direction) {
    step(neighbour(document, [...selection].at(-1), direction), event.shiftKey);
  } else if (event.key === "Tab") {
    const next = inOrder(document, [...selection].at(-1), event.shiftKey ? -1 : 1);
    // At the ends Tab leaves the canvas, so that keyboard users are not trapped in it.
    if (next === undefined) return;
    step(next, false);
  } else if (event.key === "Enter") {
    focusInspector();
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

function step(name: string | undefined, add: boolean): void {
  if (name === undefined) return;
  documentActions.select([name], add ? "add" : "replace");
  revealNode(name);
}

function nudge(document: GraphDocument, selection: ReadonlySet<string>, { x, y }: Point): void {
  const positions = new Map<string, Point>();
  for (const name of selection) {
    const from = document.layout.get(name);
    if (from) positions.set(name, { x: from.x + x * NUDGE, y: from.y + y * NUDGE });
  }
  documentActions.moveNodes(positions);
}

/** The nearest node in a direction; the first node where none is selected. */
export function neighbour(
  document: Pick<GraphDocument, "nodes" | "layout">,
  from: string | undefined,
  direction: Point,
): string | undefined {
  const start = from === undefined ? undefined : document.layout.get(from);
  if (!start) return document.nodes.keys().next().value;
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const [name, point] of document.layout) {
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

/** The node before or after in the document's order; undefined at its ends. */
function inOrder(document: GraphDocument, from: string | undefined, by: 1 | -1): string | undefined {
  const names = [...document.nodes.keys()];
  if (from === undefined) return by > 0 ? names[0] : names.at(-1);
  return names[names.indexOf(from) + by];
}
