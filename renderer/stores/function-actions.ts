/** Edits of the graph's functions. */
import { extractFunction } from "../document/edits/extract-function.js";
import { inlineFunction } from "../document/edits/inline-function.js";
import { deleteUnusedFunctions, renameFunction } from "../document/edits/library.js";
import { performDocumentEdit, performEdit } from "./document-actions.js";
import { lookupFor } from "./document-state.js";

export const functionActions = {
  /** Makes nodes a function of the graph's library, with a node that calls it in their place. */
  extract: (names: readonly string[]): boolean =>
    performEdit((document) => extractFunction(document, lookupFor(document), names)),

  /** Puts the nodes of a function in the place of a node that calls it. */
  inline: (call: string): boolean =>
    performEdit((document) => inlineFunction(document, lookupFor(document), call)),

  /** Renames a function of the library; its calls follow. */
  rename: (from: string, to: string): boolean =>
    performDocumentEdit((document) => renameFunction(document, lookupFor(document), from, to)),

  /** Deletes the functions that nothing calls. */
  deleteUnused: (): boolean => performDocumentEdit(deleteUnusedFunctions),
};
