import type { Annotation } from "../document/model.js";
import { drawnRect } from "../viewport/annotation-places.js";
import { revealNodes, revealRect } from "../viewport/view.js";

/** Brings a frame or a note into view; where it stands at its nodes, with what hides them opened. */
export function goToAnnotation(annotation: Annotation): void {
  const rect = drawnRect(annotation);
  if (rect) revealRect(rect);
  else revealNodes(annotation.nodes ?? []);
}
