import { type DocumentStore, useDocument } from "../stores/document-store.js";

/** Keeps the window's title in sync with the document; a dot before the name marks unsaved edits. */
export function showTitle(): void {
  const show = ({ document: { name }, dirty }: DocumentStore) => {
    const title = `${dirty ? "● " : ""}${name} · Tensordeck`;
    if (document.title !== title) document.title = title;
  };
  show(useDocument.getState());
  useDocument.subscribe(show);
}
