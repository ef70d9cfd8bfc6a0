import { flushSync } from "react-dom";
import { uiActions } from "../stores/ui-store.js";
import type { Action, AnyCommand } from "./command.js";
import { contextOf } from "./key-context.js";
import { commandForKey } from "./registry.js";

/**
 * Marks a field whose text is committed when it loses the focus, so it has to be committed before a command runs.
 */
export const COMMITS_ATTRIBUTE = "data-commits";

/** Commits the typed text, as leaving the field does. False when the field rejects it and shows why. */
function commitField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement) || !target.hasAttribute(COMMITS_ATTRIBUTE)) return true;
  flushSync(() => target.blur());
  // It is gone if the edit has turned it into another node's field.
  if (target.isConnected) target.focus({ preventScroll: true });
  return !target.isConnected || target.getAttribute("aria-invalid") !== "true";
}

/**
 * Runs a command for a key press or the native menu; if it cannot run now, the status bar shows why.
 *
 * @param focused what has the focus; its text is committed first
 */
export function runAsked({ takesDocument }: AnyCommand, action: Action, focused: EventTarget | null): void {
  const taken = commitField(focused);
  if (takesDocument && !taken) return;
  const ran = action.run();
  if (ran !== true) uiActions.explain(`${action.label}: ${ran.reason}`);
}

/** Makes shortcuts run their commands in the whole window. Returns a function that stops that. */
export function listenToKeyboard(): () => void {
  const onPointerDown = () => uiActions.explain(undefined);
  const onKeyDown = (event: KeyboardEvent) => {
    uiActions.explain(undefined);
    if (event.defaultPrevented || event.isComposing) return;
    const command = commandForKey(event, contextOf(event.target));
    if (command === undefined || command.byEvent !== undefined) return;
    // Also for a command that cannot run now: the browser's own action would be surprising.
    event.preventDefault();
    runAsked(command, command.now(), event.target);
  };
  window.addEventListener("keydown", onKeyDown);
  window.addEventListener("pointerdown", onPointerDown, true);
  return () => {
    window.removeEventListener("keydown", onKeyDown);
    window.removeEventListener("pointerdown", onPointerDown, true);
  };
}
