import { type BrowserWindow, dialog } from "electron";

export interface UnsavedChangesOptions {
  /** Whether the window is to close without a question, because the system ends the program; its draft stays. */
  isForced(): boolean;
  /** The user chose to discard the changes: their draft is removed, too. */
  onDiscard(): void;
  onStay(): void;
}

/**
 * Asks before a window with unsaved changes closes. The page only objects to closing (`beforeunload`); a browser then
 * asks by itself, Electron silently keeps the window open.
 */
export function askBeforeUnload(
  window: BrowserWindow,
  { isForced, onDiscard, onStay }: UnsavedChangesOptions,
): void {
  window.webContents.on("will-prevent-unload", (event) => {
    if (isForced()) {
      event.preventDefault();
      return;
    }
    const choice = dialog.showMessageBoxSync(window, {
      type: "question",
      message: "There are changes that were not saved.",
      detail: "They are lost when the window closes.",
      buttons: ["Discard changes", "Keep editing"],
      defaultId: 1,
      cancelId: 1,
      noLink: true,
    });
    if (choice !== 0) {
      onStay();
      return;
    }
    onDiscard();
    // For this event alone, the default is to stay.
    event.preventDefault();
  });
}
