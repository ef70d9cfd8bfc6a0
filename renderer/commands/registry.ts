/** Every command of the window, and how a key press becomes one. */

import { attempt } from "../stores/app-store.js";
import { isTextKey, type KeyPress, matchesShortcut } from "../ui/shortcut.js";
import type { Command } from "./command.js";
import { canvasCommands } from "./graph-commands.js";
import type { KeyContext } from "./key-context.js";
import { windowCommands } from "./window-commands.js";

export const allCommands: readonly Command[] = [...windowCommands, ...canvasCommands];

const byId = new Map(allCommands.map((command) => [command.id, command]));

/** The command of an id. Throws for an id that no command has, which is a mistake in the program. */
export function commandById(id: string): Command {
  const command = byId.get(id);
  if (command === undefined) throw new Error(`There is no command "${id}".`);
  return command;
}

export function isEnabled(command: Command): boolean {
  return (command.enabled?.() ?? true) && command.unavailable?.() === undefined;
}

/** Runs a command if it is enabled; what it throws is shown. */
export function runCommand(command: Command): void {
  if (isEnabled(command)) attempt(() => command.run());
}

/** The command that a key press means in its context; undefined where it means none. */
export function commandForKey(
  press: KeyPress,
  context: KeyContext,
  commands: readonly Command[] = allCommands,
): Command | undefined {
  if (context.modal) return undefined;
  if (context.ownLetters && press.key.length === 1 && !press.ctrlKey && !press.metaKey && !press.altKey) {
    return undefined;
  }
  return commands.find(
    (command) =>
      command.shortcut !== undefined &&
      matchesShortcut(command.shortcut, press) &&
      (!context.typing || !isTextKey(press) || command.whileTyping === true) &&
      (!context.elsewhere || command.onCanvas !== true),
  );
}
