import { type DocumentStore, useDocument } from "../stores/document-store.js";

/** Keeps the title of the window in step with the document; a dot before the name says that it is not saved. */
export function showTitle(): void {
  const show = ({ document: { name }, dirty }: DocumentStore) => {
    const title = `${dirty ? "● " : ""}${name} · Tensordeck`;
    if (document.title !== title) document.title = title;
  };
  show(useDocument.getState());
  useDocument.subscribe(show);
}
