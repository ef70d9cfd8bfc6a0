/** What can be done with a machine, as the entries of its menu. */
import type { Machine } from "../../main/api/cluster.js";
import { addTasksIfAllowed, addWorker, stoppable, stopTasks } from "../actions/cluster-actions.js";
import { copyText } from "../actions/copy-text.js";
import { forgetMachine, newIdentity, openMachineWindow, setRole } from "../actions/machine-actions.js";
import { ROLES } from "../cluster/machine-text.js";
import { takesTasks } from "../cluster/machines.js";
import { attempt } from "../stores/app-store.js";
import { openFirewall } from "../stores/firewall-store.js";
import { startPairing } from "../stores/pairing-store.js";
import { uiActions } from "../stores/ui-store.js";
import { client } from "../transport/client.js";
import type { MenuEntry } from "../ui/menu.js";

const SEPARATOR: MenuEntry = { kind: "separator" };

type Item = Extract<MenuEntry, { kind: "item" }>;

function item(label: string, run: () => void | Promise<void>, more: Partial<Item> = {}): MenuEntry {
  return { kind: "item", label, run: () => attempt(run), ...more };
}

export function machineMenu(machine: Machine): readonly MenuEntry[] {
  const groups = [taskEntries(machine), trustEntries(machine), factEntries(machine), endEntries(machine)];
  return groups
    .filter((group) => group.length > 0)
    .flatMap((group, index) => (index === 0 ? group : [SEPARATOR, ...group]));
}

function taskEntries(machine: Machine): readonly MenuEntry[] {
  if (machine.kind !== "this" && machine.kind !== "paired") return [];
  const { id } = machine;
  const blocked = { disabled: !takesTasks(machine) };
  return [
    item("Add worker", () => addWorker(id), { icon: "plus", ...blocked }),
    item("Add ps", () => addTasksIfAllowed({ machineId: id, job: "ps", count: 1 }), blocked),
    item("Add other tasks…", () => uiActions.open({ kind: "add-tasks", machineId: id }), blocked),
    item(
      machine.kind === "this" ? "Stop all tasks here" : `Stop all tasks on ${machine.name}`,
      () => stopTasks(id),
      { icon: "stop", disabled: stoppable(id).length === 0 },
    ),
  ];
}

function trustEntries(machine: Machine): readonly MenuEntry[] {
  if (machine.kind === "discovered") {
    return [
      item("Pair…", () => startPairing(machine.id), {
        icon: "link",
        disabled: machine.presence === "offline",
      }),
    ];
  }
  if (machine.kind !== "paired") return [];
  const manages = machine.role === "manage" && machine.presence === "online";
  return [
    {
      kind: "submenu",
      label: "What it may do here",
      icon: "key",
      entries: ROLES.map(({ role, label, here }) =>
        item(label, () => setRole(machine.id, role), {
          note: here,
          checked: machine.grantedRole === role,
        }),
      ),
    },
    item("Open its window", () => openMachineWindow(machine), {
      icon: "external",
      disabled: !manages,
      hint: manages || machine.presence !== "online" ? undefined : "needs the role manage",
    }),
  ];
}

function factEntries(machine: Machine): readonly MenuEntry[] {
  const { id, kind } = machine;
  const facts = item("Details…", () => uiActions.open({ kind: "machine", machineId: id }), { icon: "info" });
  if (kind === "foreign") return [facts];
  const copy = item("Copy device ID", () => copyText(id), { icon: "copy" });
  if (kind === "discovered") return [facts, copy];
  return [
    item("Check its firewall…", () => openFirewall({ machineId: id }), {
      icon: "shield",
      disabled: machine.presence !== "online",
    }),
    ...(kind === "this"
      ? [
          item("Make a new identity…", newIdentity, { icon: "key" }),
          item(
            "Look for a TensorFlow runtime again",
            async () => {
              await client().call("runtime.refresh");
            },
            { icon: "refresh" },
          ),
        ]
      : []),
    facts,
    copy,
  ];
}

function endEntries(machine: Machine): readonly MenuEntry[] {
  if (machine.kind === "this") return [];
  const label = machine.kind === "paired" ? "Unpair…" : "Forget";
  return [item(label, () => forgetMachine(machine), { icon: "trash", danger: true })];
}
