/** Edits of frames and notes. */
import {
  addAnnotation,
  changeAnnotation,
  deleteAnnotation,
  moveAnnotation,
} from "../document/edits/annotate.js";
import type { Annotation, Point } from "../document/model.js";
import { performEdit } from "./document-actions.js";

export const annotationActions = {
  add: (added: Omit<Annotation, "id">): boolean => performEdit((document) => addAnnotation(document, added)),
  change: (id: string, change: Parameters<typeof changeAnnotation>[2]): boolean =>
    performEdit((document) => changeAnnotation(document, id, change)),
  delete: (id: string): boolean => performEdit((document) => deleteAnnotation(document, id)),
  /** @param nodes names of the nodes that go with it */
  move: (id: string, by: Point, nodes: readonly string[]): boolean =>
    performEdit((document) => moveAnnotation(document, id, by, nodes)),
};
