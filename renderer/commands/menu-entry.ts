/** Commands as entries of menus. Created whenever a menu opens, so that they are current. */
import type { MenuEntry } from "../ui/menu.js";
import type { Action, Command } from "./command.js";

export type MenuItem = Extract<MenuEntry, { kind: "item" }>;

/**
 * An action as an entry; one that cannot run now is shown with the reason.
 *
 * @param text what to show: short where the menu's heading or the submenu tells the rest
 */
export function menuEntry(action: Action, text: "label" | "short" | "named" = "label"): MenuItem {
  const { icon, shortcut, hint, note, danger, checked, reason } = action;
  return {
    kind: "item",
    label: action[text],
    icon,
    shortcut,
    hint: reason === undefined ? hint : undefined,
    note: reason ?? note,
    disabled: reason !== undefined,
    danger,
    checked,
    run: () => void action.run(),
  };
}

/** Groups of commands on one target, with lines between them; those that do not apply to it are omitted. */
export function menuOf<T>(target: T, groups: readonly (readonly (Command<T> | MenuEntry)[])[]): MenuEntry[] {
  return joinGroups(
    groups.map((group) =>
      group.flatMap((one): readonly MenuEntry[] => {
        if ("kind" in one) return [one];
        const action = one.on(target);
        return action.applies ? [menuEntry(action)] : [];
      }),
    ),
  );
}

/** Separators between non-empty groups of entries. */
export function joinGroups(groups: readonly (readonly MenuEntry[])[]): MenuEntry[] {
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, index) => (index === 0 ? group : [{ kind: "separator" } as const, ...group]));
}
