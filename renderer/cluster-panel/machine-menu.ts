/** The commands of a machine, as the entries of its menu. */
import type { Machine } from "../../main/api/cluster.js";
import { ROLES } from "../cluster/machine-text.js";
import { machineCommands, roleCommands } from "../commands/machine-commands.js";
import { menuEntry, menuOf } from "../commands/menu-entry.js";
import { runtimeCommands } from "../commands/runtime-commands.js";
import type { MenuEntry } from "../ui/menu.js";

export function machineMenu(machine: Machine): readonly MenuEntry[] {
  const { addWorker, addPs, addTasks, stopTasks, ...others } = machineCommands;
  const { pair, openWindow, firewall, newIdentity, details, copyId, forget } = others;
  return menuOf(machine, [
    [addWorker, addPs, addTasks, stopTasks],
    [pair, ...roleEntries(machine), openWindow],
    [firewall, newIdentity, ...runtimeEntries(machine), details, copyId],
    [forget],
  ]);
}

function roleEntries(machine: Machine): readonly MenuEntry[] {
  const actions = ROLES.map(({ role }) => roleCommands.grant.on({ machine, role })).filter(
    ({ applies }) => applies,
  );
  const [first] = actions;
  if (first === undefined) return [];
  const entries = actions.map((action) => menuEntry(action, "short"));
  return [{ kind: "submenu", label: first.label, icon: first.icon, entries }];
}

/** The runtime is looked for on this machine alone. */
function runtimeEntries({ kind }: Machine): readonly MenuEntry[] {
  return kind === "this" ? [menuEntry(runtimeCommands.refresh.now())] : [];
}
