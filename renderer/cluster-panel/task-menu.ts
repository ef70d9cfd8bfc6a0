/** The commands of a task, as the entries of its menu. */
import type { Task } from "../../main/api/cluster.js";
import { menuOf } from "../commands/menu-entry.js";
import { taskCommands } from "../commands/task-commands.js";
import type { MenuEntry } from "../ui/menu.js";

export function taskMenu(task: Task): readonly MenuEntry[] {
  const { start, stop, restart, clearState, showLog, copyAddress, copyDevice, remove } = taskCommands;
  return menuOf(task, [[start, stop, restart, clearState], [showLog, copyAddress, copyDevice], [remove]]);
}
