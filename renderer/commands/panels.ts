/** F6 cycles through the panels, as in other desktop programs. */

/** Every panel marks its frame with this attribute; the cycle follows the order of the frames in the DOM. */
export const PANEL_ATTRIBUTE = "data-panel";

/** Puts the focus into the next panel, on what was focused there last or on its first control. */
export function focusNextPanel(step: 1 | -1): void {
  const panels = [...document.querySelectorAll<HTMLElement>(`[${PANEL_ATTRIBUTE}]`)].filter(
    (panel) => panel.offsetParent !== null || panel.getClientRects().length > 0,
  );
  if (panels.length === 0) return;
  const current = panels.findIndex((panel) => panel.contains(document.activeElement));
  const next =
    current === -1 && step === -1 ? panels.length - 1 : (current + step + panels.length) % panels.length;
  const panel = panels[next];
  if (panel) focusWithin(panel);
}

const FOCUSABLE =
  '[data-panel-focus], [role="tab"][aria-selected="true"], [role="treeitem"][tabindex="0"], button:not(:disabled), input:not(:disabled), select, textarea, [tabindex="0"]';

function focusWithin(panel: HTMLElement): void {
  const first =
    panel.querySelector<HTMLElement>("[data-panel-focus]") ?? panel.querySelector<HTMLElement>(FOCUSABLE);
  (first ?? panel).focus();
}
