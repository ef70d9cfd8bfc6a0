/** The open document as the rest of the window sees it. */
export { documentActions } from "./document-actions.js";
export { type DocumentStore, lookupOp, useDocument, useGraph } from "./document-state.js";
