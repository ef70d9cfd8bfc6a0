/** The commands of a machine, this one or another. */
import type { Machine } from "../../main/api/cluster.js";
import { addTasksIfAllowed, addWorker, stoppable, stopTasks } from "../actions/cluster-actions.js";
import { copyText } from "../actions/copy-text.js";
import { forgetMachine, newIdentity, openMachineWindow, setRole } from "../actions/machine-actions.js";
import { roleText } from "../cluster/machine-text.js";
import { whyNoTasks, whyNotManaged } from "../cluster/machines.js";
import { openFirewall } from "../stores/firewall-store.js";
import { startPairing } from "../stores/pairing-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { defineCommands, type Enabled, unless, when } from "./command.js";
import { machineTarget, roleTarget } from "./target-kinds.js";

const words = texts.commands.machine;

/** This machine and those that are paired with it: both can have tasks of ours. */
const isOurs = ({ kind }: Machine) => kind === "this" || kind === "paired";
const isPaired = ({ kind }: Machine) => kind === "paired";

function takesTasks(machine: Machine): Enabled {
  return unless(whyNoTasks(machine));
}

function answers({ name, presence }: Machine): Enabled {
  return when(presence === "online", words.notConnected({ name }));
}

function isManaged(machine: Machine): Enabled {
  const there = answers(machine);
  return there === true ? unless(whyNotManaged(machine)) : there;
}

export const machineCommands = defineCommands(machineTarget, {
  addWorker: {
    id: "machine.addWorker",
    group: "Cluster",
    label: words.addWorker.label,
    named: (name) => words.addWorker.named({ name }),
    icon: "plus",
    needsApplication: true,
    applies: isOurs,
    isEnabled: takesTasks,
    run: ({ id }) => addWorker(id),
  },
  addPs: {
    id: "machine.addPs",
    group: "Cluster",
    label: words.addPs.label,
    named: (name) => words.addPs.named({ name }),
    keywords: words.addPs.keywords,
    needsApplication: true,
    applies: isOurs,
    isEnabled: takesTasks,
    run: ({ id }) => addTasksIfAllowed({ machineId: id, job: "ps", count: 1 }),
  },
  addTasks: {
    id: "machine.addTasks",
    group: "Cluster",
    label: words.addTasks.label,
    named: (name) => words.addTasks.named({ name }),
    icon: "plus",
    needsApplication: true,
    applies: isOurs,
    isEnabled: takesTasks,
    run: ({ id }) => uiActions.open({ kind: "add-tasks", machineId: id }),
  },
  stopTasks: {
    id: "machine.stopTasks",
    group: "Cluster",
    label: words.stopTasks.label,
    labelNow: ({ kind, name }) => (kind === "this" ? words.stopTasks.label : words.stopTasks.there({ name })),
    named: (name) => words.stopTasks.named({ name }),
    icon: "stop",
    needsApplication: true,
    applies: isOurs,
    isEnabled: ({ id }) => when(stoppable(id).length > 0, words.stopTasks.reason),
    run: ({ id }) => stopTasks(id),
  },
  pair: {
    id: "machine.pair",
    group: "Cluster",
    label: words.pair.label,
    short: () => words.pair.short,
    named: (name) => words.pair.named({ name }),
    icon: "link",
    needsApplication: true,
    applies: ({ kind }) => kind === "discovered",
    isEnabled: ({ presence, name }) => when(presence !== "offline", words.pair.reason({ name })),
    run: ({ id }) => startPairing(id),
  },
  openWindow: {
    id: "machine.openWindow",
    group: "Cluster",
    label: words.openWindow.label,
    named: (name) => words.openWindow.named({ name }),
    icon: "external",
    needsApplication: true,
    applies: isPaired,
    isEnabled: isManaged,
    run: openMachineWindow,
  },
  firewall: {
    id: "machine.firewall",
    group: "Cluster",
    label: words.firewall.label,
    named: (name) => words.firewall.named({ name }),
    icon: "shield",
    needsApplication: true,
    applies: isOurs,
    isEnabled: isManaged,
    run: ({ id }) => openFirewall({ machineId: id }),
  },
  newIdentity: {
    id: "machine.newIdentity",
    group: "Cluster",
    label: words.newIdentity.label,
    short: () => words.newIdentity.short,
    keywords: words.newIdentity.keywords,
    icon: "key",
    needsApplication: true,
    applies: ({ kind }) => kind === "this",
    run: newIdentity,
  },
  details: {
    id: "machine.details",
    group: "Cluster",
    label: words.details.label,
    named: (name) => words.details.named({ name }),
    icon: "info",
    run: ({ id }) => uiActions.open({ kind: "machine", machineId: id }),
  },
  copyId: {
    id: "machine.copyId",
    group: "Cluster",
    label: words.copyId.label,
    named: (name) => words.copyId.named({ name }),
    icon: "copy",
    applies: ({ kind }) => kind !== "foreign",
    run: ({ id }) => copyText(id),
  },
  forget: {
    id: "machine.forget",
    group: "Cluster",
    label: words.forget.label,
    labelNow: ({ kind }) => (kind === "paired" ? words.forget.unpair : words.forget.forget),
    short: ({ kind }) => (kind === "paired" ? words.forget.unpairShort : words.forget.forget),
    named: (name, { kind }) =>
      kind === "paired" ? words.forget.unpairNamed({ name }) : words.forget.forgetNamed({ name }),
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
    label: words.role.grant.label,
    short: ({ role }) => roleText(role).label,
    note: ({ role }) => roleText(role).here,
    icon: "key",
    needsApplication: true,
    applies: ({ machine }) => isPaired(machine),
    isOn: ({ machine, role }) => machine.grantedRole === role,
    run: ({ machine, role }) => setRole(machine, role),
  },
});
