/** Frames and notes on the canvas. */

import { texts } from "../../texts/texts.js";
import { MIN_HEIGHT, MIN_WIDTH } from "../annotations.js";
import type { Annotation, GraphDocument, Point } from "../model.js";
import type { Operation } from "../operations.js";
import { moveNodes } from "./place.js";
import { type EditResult, edit, refused } from "./types.js";

const words = texts.document.edits.annotate;

/** The name of a step of undo: a frame by its title where it has one. */
function what({ kind, text }: Annotation) {
  const [title = ""] = text.split("\n");
  return { what: kind === "frame" && title !== "" ? "titledFrame" : kind, title };
}

function changed({ annotations }: GraphDocument, after: readonly Annotation[]): Operation {
  return { type: "annotations", before: annotations, after };
}

/** Adds a frame or a note; frames lie below notes. */
export function addAnnotation(document: GraphDocument, added: Omit<Annotation, "id">): EditResult {
  const taken = new Set(document.annotations.map(({ id }) => id));
  let number = document.annotations.length + 1;
  while (taken.has(`${added.kind} ${number}`)) number++;
  const annotation: Annotation = {
    ...added,
    id: `${added.kind} ${number}`,
    width: Math.max(added.width, MIN_WIDTH),
    height: Math.max(added.height, MIN_HEIGHT),
  };
  return edit({
    label: words.add(what(annotation)),
    operations: [changed(document, [...document.annotations, annotation])],
  });
}

/** Changes text, colour or size. */
export function changeAnnotation(
  document: GraphDocument,
  id: string,
  change: Partial<Pick<Annotation, "text" | "colour" | "width" | "height">>,
): EditResult {
  const before = document.annotations.find((one) => one.id === id);
  if (!before) return refused(words.gone);
  const wanted = { ...before, ...change };
  const after: Annotation = {
    ...wanted,
    width: Math.max(wanted.width, MIN_WIDTH),
    height: Math.max(wanted.height, MIN_HEIGHT),
  };
  if (JSON.stringify(after) === JSON.stringify(before)) return refused(words.notChanged);
  return edit({
    label: words.change(what(after)),
    operations: [
      changed(
        document,
        document.annotations.map((one) => (one.id === id ? after : one)),
      ),
    ],
  });
}

/** Takes a frame or a note away; the nodes in a frame stay. */
export function deleteAnnotation(document: GraphDocument, id: string): EditResult {
  const gone = document.annotations.find((one) => one.id === id);
  if (!gone) return refused(words.gone);
  return edit({
    label: words.delete(what(gone)),
    operations: [
      changed(
        document,
        document.annotations.filter((one) => one !== gone),
      ),
    ],
  });
}

/**
 * Moves a frame or a note, and with a frame the nodes and the notes in it, as one step. Moves of the same one that follow
 * each other are one step, too.
 *
 * @param nodes names of the nodes that lie in it
 */
export function moveAnnotation(
  document: GraphDocument,
  id: string,
  by: Point,
  nodes: readonly string[],
): EditResult {
  const held = document.annotations.find((one) => one.id === id);
  if (!held) return refused(words.gone);
  if (by.x === 0 && by.y === 0) return refused(words.notMoved);
  const shifted = ({ x, y }: Point): Point => ({ x: x + by.x, y: y + by.y });
  const after = document.annotations.map((one) =>
    one === held || (held.kind === "frame" && isWithin(one, held)) ? { ...one, at: shifted(one.at) } : one,
  );
  const positions = new Map(
    nodes.flatMap((name): [string, Point][] => {
      const at = document.layout.get(name);
      return at ? [[name, shifted(at)]] : [];
    }),
  );
  const moved = positions.size > 0 ? moveNodes(document, positions) : undefined;
  return edit({
    label: words.move(what(held)),
    operations: [changed(document, after), ...(moved?.ok ? moved.transaction.operations : [])],
    mergeKey: `move ${id}`,
  });
}

function isWithin(inner: Annotation, outer: Annotation): boolean {
  return (
    inner.at.x >= outer.at.x &&
    inner.at.y >= outer.at.y &&
    inner.at.x + inner.width <= outer.at.x + outer.width &&
    inner.at.y + inner.height <= outer.at.y + outer.height
  );
}
