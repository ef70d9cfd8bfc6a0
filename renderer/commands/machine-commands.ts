/** Commands for each machine that is known now: what the panel's menus do, reached by typing the machine's name. */
import type { Machine } from "../../main/api/cluster.js";
import { addWorker } from "../actions/cluster-actions.js";
import { openMachineWindow } from "../actions/machine-actions.js";
import { takesTasks } from "../cluster/machines.js";
import { machinesOf, useCluster } from "../stores/cluster-store.js";
import { openFirewall } from "../stores/firewall-store.js";
import { startPairing } from "../stores/pairing-store.js";
import { uiActions } from "../stores/ui-store.js";
import type { Command } from "./command.js";

/** The commands of all machines but this one, whose commands have no name in them. */
export function machineCommands(): readonly Command[] {
  return machinesOf(useCluster.getState()).flatMap(commandsOf);
}

function commandsOf(machine: Machine): readonly Command[] {
  const { id, name, kind, presence, role } = machine;
  const command = (
    what: string,
    label: string,
    icon: NonNullable<Command["icon"]>,
    run: Command["run"],
  ): Command => ({ id: `machine.${what} ${id}`, label, icon, group: "Cluster", run });
  const details = command("details", `Details of ${name}…`, "info", () =>
    uiActions.open({ kind: "machine", machineId: id }),
  );
  if (kind === "discovered") {
    return presence === "offline"
      ? [details]
      : [command("pair", `Pair with ${name}…`, "link", () => startPairing(id)), details];
  }
  if (kind !== "paired") return [details];
  const online = presence === "online";
  return [
    ...(takesTasks(machine) ? [command("add", `Add worker on ${name}`, "plus", () => addWorker(id))] : []),
    ...(online
      ? [command("firewall", `Firewall of ${name}…`, "shield", () => openFirewall({ machineId: id }))]
      : []),
    ...(online && role === "manage"
      ? [command("window", `Open the window of ${name}`, "external", () => openMachineWindow(machine))]
      : []),
    details,
  ];
}
