/** F6 cycles through the panels, as in other desktop programs. */

/**
 * Every panel marks its frame with this attribute; the cycle follows the order of the frames in the DOM. It is not
 * "data-panel", which react-resizable-panels gives to its own elements around them.
 */
export const PANEL_ATTRIBUTE = "data-panel-name";

/** Puts the focus into the next panel, on its graph, its selected tab or its first control. */
export function focusNextPanel(step: 1 | -1): void {
  const panels = [...document.querySelectorAll<HTMLElement>(`[${PANEL_ATTRIBUTE}]`)].filter(
    (panel) => panel.offsetParent !== null || panel.getClientRects().length > 0,
  );
  if (panels.length === 0) return;
  // The innermost: the messages are a panel within that of the canvas.
  const current = panels.findLastIndex((panel) => panel.contains(document.activeElement));
  const next =
    current === -1 && step === -1 ? panels.length - 1 : (current + step + panels.length) % panels.length;
  const panel = panels[next];
  if (panel) focusWithin(panel);
}

/** The elements that take the focus in a panel, the best first. */
const ENTRIES = [
  '[role="application"]',
  '[role="tab"][aria-selected="true"]',
  '[role="treeitem"][tabindex="0"]',
  'button:not(:disabled), input:not(:disabled), select, textarea, [tabindex="0"]',
] as const;

function focusWithin(panel: HTMLElement): void {
  const entries = ENTRIES.flatMap((entry) => [...panel.querySelectorAll<HTMLElement>(entry)]);
  const own = entries.filter((entry) => entry.closest(`[${PANEL_ATTRIBUTE}]`) === panel);
  for (const entry of [...own, panel]) {
    entry.focus();
    // One without a box of its own refuses the focus.
    if (document.activeElement === entry) return;
  }
}
