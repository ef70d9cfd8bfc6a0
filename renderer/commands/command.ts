import type { IconName } from "../ui/icon.js";

/** Where a command stands in the palette and in the list of shortcuts. */
export type CommandGroup = "File" | "Edit" | "Run" | "Cluster" | "Graph" | "View" | "Settings" | "Help";

/**
 * One action of the window. Menu, keyboard and palette all run the same command, so that they can never differ.
 */
export interface Command {
  /** Unique and stable, "run.start". */
  readonly id: string;
  readonly label: string;
  /** Other words by which the palette finds it. */
  readonly keywords?: string;
  readonly icon?: IconName;
  /**
   * Keys joined by "+", "Mod" being Ctrl or, on macOS, Cmd: "Mod+Shift+Z", "Delete", "Shift+Escape". Several
   * alternatives are separated by a space.
   */
  readonly shortcut?: string;
  readonly group: CommandGroup;
  run(): void | Promise<void>;
  /** Left out: always enabled. */
  enabled?(): boolean;
  /** Why it cannot run now, for the menus that show it then; undefined: it can. */
  unavailable?(): string | undefined;
  /** A few words beside the label that say what it would act on now: "3 nodes", "on". */
  hint?(): string | undefined;
  /**
   * True: also runs while the user types in a field. Shortcuts with Ctrl or Cmd do so anyway, unless their keys edit
   * text; this is for the others.
   */
  readonly whileTyping?: boolean;
  /** True: takes the document as it is, so that text of a field that cannot be taken over keeps it from running. */
  readonly takesDocument?: boolean;
  /** True: the browser makes an event of its own of the keys (copy, cut, paste), and that event does the work. */
  readonly byEvent?: boolean;
  /** True: the shortcut belongs to the canvas and only works while the focus is not in another panel. */
  readonly onCanvas?: boolean;
}
