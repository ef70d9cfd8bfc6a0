import type { MenuEntry } from "../ui/menu.js";
import { commandById, isEnabled, runCommand } from "./registry.js";

export type MenuItem = Extract<MenuEntry, { kind: "item" }>;

/** A command as an entry of a menu; one that cannot run now says why. Asked anew whenever a menu opens. */
export function commandEntry(id: string): MenuItem {
  const command = commandById(id);
  const { label, icon, shortcut } = command;
  return {
    kind: "item",
    label,
    icon,
    shortcut: shortcut?.split(" ")[0],
    hint: command.hint?.(),
    note: command.unavailable?.(),
    disabled: !isEnabled(command),
    run: () => runCommand(command),
  };
}
