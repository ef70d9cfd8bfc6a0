import { isModalOpen, onModalChange } from "../stores/modal.js";

/** The lasting element for the focus: a menu's entry disappears with its menu, its button stays. */
function lasting(element: Element | null): HTMLElement | undefined {
  let found = element;
  for (let menu = found?.closest('[role="menu"]'); menu; menu = found?.closest('[role="menu"]'))
    found = document.getElementById(menu.getAttribute("aria-labelledby") ?? "");
  return found instanceof HTMLElement && found !== document.body ? found : undefined;
}

/**
 * Restores the focus when a dialog closes. Dialogs are opened by commands, from a key, a menu or the palette, so none
 * has a button of its own to return to. If the previous element is gone, the canvas gets the focus.
 */
export function returnFocusAfterDialogs(): void {
  let from: HTMLElement | undefined;
  // A dialog that follows another, as from the palette, returns the focus to where it was before the first.
  onModalChange((open) => {
    if (open) {
      from = lasting(document.activeElement);
      return;
    }
    // After the dialog has left the page and has let the focus go.
    requestAnimationFrame(() =>
      setTimeout(() => {
        const lost = document.activeElement === null || document.activeElement === document.body;
        if (!lost || isModalOpen()) return;
        const target = from?.isConnected ? from : document.querySelector<HTMLElement>("[data-canvas]");
        target?.focus({ preventScroll: true });
      }),
    );
  });
}
