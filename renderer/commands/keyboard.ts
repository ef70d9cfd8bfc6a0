import { flushSync } from "react-dom";
import { contextOf } from "./key-context.js";
import { commandForKey, isEnabled, runCommand } from "./registry.js";

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
    if (command === undefined || command.byEvent) return;
    // Also for a command that cannot run now: the browser's own meaning of the keys would surprise.
    event.preventDefault();
    const taken = commitField(event.target);
    if (isEnabled(command) && (taken || !command.takesDocument)) runCommand(command);
  };
  window.addEventListener("keydown", onKeyDown);
  return () => window.removeEventListener("keydown", onKeyDown);
}
