import { contextOf } from "./key-context.js";
import { commandForKey, isEnabled, runCommand } from "./registry.js";

/** Makes shortcuts run their commands, in the whole window. Answers how to stop that. */
export function listenToKeyboard(): () => void {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.isComposing) return;
    const command = commandForKey(event, contextOf(event.target));
    if (command === undefined || command.byEvent) return;
    // Also for a command that cannot run now: the browser's own meaning of the keys would surprise.
    event.preventDefault();
    if (isEnabled(command)) runCommand(command);
  };
  window.addEventListener("keydown", onKeyDown);
  return () => window.removeEventListener("keydown", onKeyDown);
}
