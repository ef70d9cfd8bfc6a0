import { useDocument } from "../stores/document-store.js";

/** Makes the browser ask before a window with unsaved changes is closed or reloaded. */
export function guardUnload(): void {
  window.addEventListener("beforeunload", (event) => {
    if (useDocument.getState().dirty) event.preventDefault();
  });
}
