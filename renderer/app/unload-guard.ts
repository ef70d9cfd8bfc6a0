import { isAnyDirty } from "../stores/tab-store.js";

/** Makes the browser ask before a window with unsaved changes, shown or not, is closed or reloaded. */
export function guardUnload(): void {
  window.addEventListener("beforeunload", (event) => {
    if (isAnyDirty()) event.preventDefault();
  });
}
