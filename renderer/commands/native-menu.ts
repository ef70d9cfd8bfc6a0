/** The commands as the system's own menu bar shows them. */
import type { NativeCommandItem, NativeMenu, NativeMenuItem } from "../../main/api/native-menu.js";
import { texts } from "../texts/texts.js";
import type { Action, AnyCommand, CommandGroup } from "./command.js";
import { editCommands } from "./edit-commands.js";
import { graphCommands } from "./graph-commands.js";
import type { KeyContext } from "./key-context.js";
import { allCommands } from "./registry.js";

/** Text editing shortcuts belong to the focused field or panel. */
export type MenuContext = Pick<KeyContext, "typing" | "elsewhere" | "modal">;

export interface BuiltMenu {
  readonly menu: NativeMenu;
  /** The actions of items by key. */
  readonly chosen: ReadonlyMap<string, { readonly command: AnyCommand; readonly action: Action }>;
}

/** The menus of the bar; the other groups are in the program's menu or in Help. */
const MENUS: readonly CommandGroup[] = ["File", "Edit", "Graph", "Run", "Cluster", "View"];

/** The native menu for the current state of the commands. */
export function buildNativeMenu(context: MenuContext): BuiltMenu {
  const chosen = new Map<string, { command: AnyCommand; action: Action }>();
  const itemsOf = (group: CommandGroup) =>
    joined(
      allCommands
        .filter((command) => command.group === group)
        .map((command) => [command.target, itemsOfCommand(command, context, chosen)] as const),
    );
  const menu: NativeMenu = {
    app: itemsOf("Settings"),
    menus: MENUS.map((group) => ({
      label: texts.commands.groups[group],
      items: itemsOf(group),
      takesScreen: group === "View",
      takesRecent: group === "File",
    })),
    help: itemsOf("Help"),
  };
  return { menu, chosen };
}

/** Separators between commands on different kinds of targets. */
function joined(
  parts: readonly (readonly [target: string, items: readonly NativeMenuItem[]])[],
): NativeMenuItem[] {
  let before: string | undefined;
  return parts.flatMap(([target, items]) => {
    if (items.length === 0) return [];
    const line = before !== undefined && before !== target;
    before = target;
    return line ? [{ kind: "separator" } as const, ...items] : [...items];
  });
}

function itemsOfCommand(
  command: AnyCommand,
  context: MenuContext,
  chosen: Map<string, { command: AnyCommand; action: Action }>,
): readonly NativeMenuItem[] {
  const role = roleOf(command, context);
  if (role !== undefined) return [{ kind: "role", role }];
  const actions = command.all();
  const itemOf = (action: Action, label: string, key: string): NativeCommandItem => {
    chosen.set(key, { command, action });
    const accelerator = acceleratorOf(command, context);
    return {
      kind: "command",
      key,
      label,
      ...(accelerator === undefined ? {} : { accelerator }),
      // Ignored behind a dialog, as with keys.
      enabled: action.reason === undefined && !context.modal,
      ...(action.checked === undefined ? {} : { checked: action.checked }),
    };
  };
  if (!command.many) return actions.map((action) => itemOf(action, action.label, command.id));
  if (actions.length === 0) return [];
  const items = actions.map((action, index) => itemOf(action, action.named, `${command.id} ${index}`));
  return [{ kind: "submenu", label: command.label, items }];
}

/** The browser's own actions: always for the clipboard, and for the text of a focused field. */
function roleOf({ id, byEvent }: AnyCommand, { typing, elsewhere }: MenuContext) {
  if (byEvent !== undefined) return byEvent;
  if (typing && id === editCommands.undo.id) return "undo";
  if (typing && id === editCommands.redo.id) return "redo";
  if ((typing || elsewhere) && id === graphCommands.selectAll.id) return "selectAll";
  return undefined;
}

/** Only keys that mean the command wherever the focus is; a single letter would interfere with typing. */
function acceleratorOf(
  { shortcut, whileTyping, onCanvas }: AnyCommand,
  { elsewhere }: MenuContext,
): string | undefined {
  const [first] = shortcut?.split(" ") ?? [];
  if (first === undefined || (onCanvas && elsewhere)) return undefined;
  if (!first.startsWith("Mod+") && !whileTyping) return undefined;
  return first.replace("Mod+", "CmdOrCtrl+");
}
