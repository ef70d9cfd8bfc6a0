/** Edits of the graph's functions. */
import type { DataType } from "../../protos/generated/tensorflow/types.js";
import { addArgument, addResult, moveOnBorder } from "../document/edits/arguments.js";
import type { OutputEnd } from "../document/edits/connect.js";
import { extractFunction } from "../document/edits/extract-function.js";
import { inlineFunction } from "../document/edits/inline-function.js";
import { deleteUnusedFunctions, renameFunction } from "../document/edits/library.js";
import type { Point } from "../document/model.js";
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

  /** Adds an argument to the function that is shown; its calls have an input more. */
  addArgument: (dtype: DataType, position: Point): boolean =>
    performEdit((body) => addArgument(body, dtype, position)),

  /** Adds a result to the function that is shown; its calls have an output more. */
  addResult: (from: OutputEnd | undefined, position: Point): boolean =>
    performEdit((body) => addResult(body, lookupFor(body), from, position)),

  /** Moves an argument or a result of the function that is shown; inputs and outputs of its calls follow. */
  moveOnBorder: (name: string, by: -1 | 1): boolean => performEdit((body) => moveOnBorder(body, name, by)),

  /** Deletes the functions that nothing calls. */
  deleteUnused: (): boolean => performDocumentEdit(deleteUnusedFunctions),
};
