/** The commands of a machine, this one or another. */
import type { Machine } from "../../main/api/cluster.js";
import { addTasksIfAllowed, addWorker, stoppable, stopTasks } from "../actions/cluster-actions.js";
import { copyText } from "../actions/copy-text.js";
import { forgetMachine, newIdentity, openMachineWindow, setRole } from "../actions/machine-actions.js";
import { roleText } from "../cluster/machine-text.js";
import { whyNoTasks } from "../cluster/machines.js";
import { openFirewall } from "../stores/firewall-store.js";
import { startPairing } from "../stores/pairing-store.js";
import { uiActions } from "../stores/ui-store.js";
import { defineCommands, type Enabled, unless, when } from "./command.js";
import { machineTarget, roleTarget } from "./target-kinds.js";

/** This machine and those that are paired with it: both can have tasks of ours. */
const isOurs = ({ kind }: Machine) => kind === "this" || kind === "paired";
const isPaired = ({ kind }: Machine) => kind === "paired";

function takesTasks(machine: Machine): Enabled {
  return unless(whyNoTasks(machine));
}

function answers({ name, presence }: Machine): Enabled {
  return when(presence === "online", `${name} is not connected.`);
}

export const machineCommands = defineCommands(machineTarget, {
  addWorker: {
    id: "machine.addWorker",
    group: "Cluster",
    label: "Add worker",
    named: (name) => `Add worker on ${name}`,
    icon: "plus",
    needsApplication: true,
    applies: isOurs,
    isEnabled: takesTasks,
    run: ({ id }) => addWorker(id),
  },
  addPs: {
    id: "machine.addPs",
    group: "Cluster",
    label: "Add ps",
    named: (name) => `Add ps on ${name}`,
    keywords: "parameter server",
    needsApplication: true,
    applies: isOurs,
    isEnabled: takesTasks,
    run: ({ id }) => addTasksIfAllowed({ machineId: id, job: "ps", count: 1 }),
  },
  addTasks: {
    id: "machine.addTasks",
    group: "Cluster",
    label: "Add other tasks…",
    named: (name) => `Add tasks on ${name}…`,
    icon: "plus",
    needsApplication: true,
    applies: isOurs,
    isEnabled: takesTasks,
    run: ({ id }) => uiActions.open({ kind: "add-tasks", machineId: id }),
  },
  stopTasks: {
    id: "machine.stopTasks",
    group: "Cluster",
    label: "Stop all tasks here",
    labelNow: ({ kind, name }) => (kind === "this" ? "Stop all tasks here" : `Stop all tasks on ${name}`),
    named: (name) => `Stop all tasks on ${name}`,
    icon: "stop",
    needsApplication: true,
    applies: isOurs,
    isEnabled: ({ id }) => when(stoppable(id).length > 0, "No task is running there."),
    run: ({ id }) => stopTasks(id),
  },
  pair: {
    id: "machine.pair",
    group: "Cluster",
    label: "Pair…",
    short: () => "Pair",
    named: (name) => `Pair with ${name}…`,
    icon: "link",
    needsApplication: true,
    applies: ({ kind }) => kind === "discovered",
    isEnabled: ({ presence, name }) => when(presence !== "offline", `${name} does not answer.`),
    run: ({ id }) => startPairing(id),
  },
  openWindow: {
    id: "machine.openWindow",
    group: "Cluster",
    label: "Open its window",
    named: (name) => `Open the window of ${name}`,
    icon: "external",
    needsApplication: true,
    applies: isPaired,
    isEnabled: (machine) => {
      const there = answers(machine);
      return there === true ? when(machine.role === "manage", "It takes the role Manage there.") : there;
    },
    run: openMachineWindow,
  },
  firewall: {
    id: "machine.firewall",
    group: "Cluster",
    label: "Check its firewall…",
    named: (name) => `Firewall of ${name}…`,
    icon: "shield",
    needsApplication: true,
    applies: isOurs,
    isEnabled: answers,
    run: ({ id }) => openFirewall({ machineId: id }),
  },
  newIdentity: {
    id: "machine.newIdentity",
    group: "Cluster",
    label: "Make a new identity…",
    short: () => "New identity…",
    keywords: "copied disk, clone",
    icon: "key",
    needsApplication: true,
    applies: ({ kind }) => kind === "this",
    run: newIdentity,
  },
  details: {
    id: "machine.details",
    group: "Cluster",
    label: "Details…",
    named: (name) => `Details of ${name}…`,
    icon: "info",
    run: ({ id }) => uiActions.open({ kind: "machine", machineId: id }),
  },
  copyId: {
    id: "machine.copyId",
    group: "Cluster",
    label: "Copy device ID",
    named: (name) => `Copy the device ID of ${name}`,
    icon: "copy",
    applies: ({ kind }) => kind !== "foreign",
    run: ({ id }) => copyText(id),
  },
  forget: {
    id: "machine.forget",
    group: "Cluster",
    label: "Unpair or forget",
    labelNow: ({ kind }) => (kind === "paired" ? "Unpair…" : "Forget"),
    short: ({ kind }) => (kind === "paired" ? "Unpair" : "Forget"),
    named: (name, { kind }) => (kind === "paired" ? `Unpair ${name}…` : `Forget ${name}`),
    icon: "trash",
    danger: true,
    needsApplication: true,
    applies: ({ kind }) => kind !== "this",
    run: forgetMachine,
  },
});

export const roleCommands = defineCommands(roleTarget, {
  grant: {
    id: "machine.grantRole",
    group: "Cluster",
    label: "What it may do here",
    short: ({ role }) => roleText(role).label,
    note: ({ role }) => roleText(role).here,
    icon: "key",
    needsApplication: true,
    applies: ({ machine }) => isPaired(machine),
    isOn: ({ machine, role }) => machine.grantedRole === role,
    run: ({ machine, role }) => setRole(machine.id, role),
  },
});
