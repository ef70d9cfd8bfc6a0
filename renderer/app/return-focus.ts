import { isModalOpen, onModalChange } from "../stores/modal.js";

/** What stays in the window of what has the focus: a menu's entry goes with its menu, its button stays. */
function lasting(element: Element | null): HTMLElement | undefined {
  let found = element;
  for (let menu = found?.closest('[role="menu"]'); menu; menu = found?.closest('[role="menu"]'))
    found = document.getElementById(menu.getAttribute("aria-labelledby") ?? "");
  return found instanceof HTMLElement && found !== document.body ? found : undefined;
}

/**
 * Puts the focus back to where it was when a dialog closes. Dialogs are opened by commands, from a key or a menu or the
 * palette, so that none has a button of its own to return to. The canvas takes the focus where that place is gone.
 */
export function returnFocusAfterDialogs(): void {
  let from: HTMLElement | undefined;
  // One that follows another, as from the palette, returns to where the first began.
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
