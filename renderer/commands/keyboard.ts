import { flushSync } from "react-dom";
import { isModalOpen } from "../stores/modal.js";
import { commandForKey, isEnabled, type KeyContext, runCommand } from "./registry.js";

const TYPING =
  'input:not([type="checkbox"]):not([type="radio"]):not([type="range"]), textarea, select, [contenteditable="true"]';
const OWN_KEYS = '[role="menu"], [role="dialog"], [role="listbox"], [data-own-keys]';

function contextOf(target: EventTarget | null): KeyContext {
  const element = target instanceof Element ? target : undefined;
  const inCanvas = element?.closest("[data-canvas]") !== null && element !== undefined;
  const nowhere = element === undefined || element === document.body || element === document.documentElement;
  return {
    typing: element?.closest(TYPING) != null,
    elsewhere: !(inCanvas || nowhere) || element?.closest(OWN_KEYS) != null,
    modal: isModalOpen(),
  };
}

/** Marks a field whose text counts when the field is left, so that it has to be taken over before a command runs. */
export const COMMITS_ATTRIBUTE = "data-commits";

/** Takes over what was typed, as leaving the field does. False when the field refuses it and says why. */
function commitField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement) || !target.hasAttribute(COMMITS_ATTRIBUTE)) return true;
  flushSync(() => target.blur());
  // It is not there any more where the edit has made it another node's.
  if (target.isConnected) target.focus({ preventScroll: true });
  return !target.isConnected || target.getAttribute("aria-invalid") !== "true";
}

/** Makes shortcuts run their commands, in the whole window. Answers how to stop that. */
export function listenToKeyboard(): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const command = commandForKey(event, contextOf(event.target));
    if (command === undefined) return;
    // Also for a command that cannot run now: the browser's own meaning of the keys would surprise.
    event.preventDefault();
    const taken = commitField(event.target);
    if (isEnabled(command) && (taken || !command.takesDocument)) runCommand(command);
  };
  window.addEventListener("keydown", onKeyDown);
  return () => window.removeEventListener("keydown", onKeyDown);
}
