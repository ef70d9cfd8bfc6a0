import type { Annotation } from "../document/model.js";
import { annotationRect } from "../viewport/annotation-places.js";
import { revealRect } from "../viewport/view.js";

/** Brings a frame or a note into view. */
export function goToAnnotation(annotation: Annotation): void {
  revealRect(annotationRect(annotation));
}
