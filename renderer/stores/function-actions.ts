/** Edits of the graph's functions. */
import { extractFunction } from "../document/edits/extract-function.js";
import { inlineFunction } from "../document/edits/inline-function.js";
import { performEdit } from "./document-actions.js";
import { lookupFor } from "./document-state.js";

export const functionActions = {
  /** Makes nodes a function of the graph's library, with a node that calls it in their place. */
  extract: (names: readonly string[]): boolean =>
    performEdit((document) => extractFunction(document, lookupFor(document), names)),

  /** Puts the nodes of a function in the place of a node that calls it. */
  inline: (call: string): boolean =>
    performEdit((document) => inlineFunction(document, lookupFor(document), call)),
};
