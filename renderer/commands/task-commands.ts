/** The commands of a task. */
import type { Task } from "../../main/api/cluster.js";
import { clearState, controlTask } from "../actions/cluster-actions.js";
import { copyText } from "../actions/copy-text.js";
import { taskDevice } from "../cluster/task-name.js";
import { uiActions } from "../stores/ui-store.js";
import { defineCommands, type Enabled, unless, when } from "./command.js";
import { taskTarget } from "./target-kinds.js";

/** A process of ours or of a paired machine; others are started and stopped by their owners. */
const isOurs = ({ foreign }: Task) => !foreign;
const isDown = ({ state }: Task) => state === "stopped" || state === "failed";

function unlocked({ locked }: Task): Enabled {
  return unless(locked?.message);
}

export const taskCommands = defineCommands(taskTarget, {
  start: {
    id: "task.start",
    group: "Cluster",
    label: "Start",
    short: () => "Start again",
    named: (name) => `Start ${name}`,
    icon: "power",
    needsApplication: true,
    applies: (task) => isOurs(task) && isDown(task),
    isEnabled: unlocked,
    run: (task) => controlTask("cluster.startTask", task),
  },
  stop: {
    id: "task.stop",
    group: "Cluster",
    label: "Stop",
    named: (name) => `Stop ${name}`,
    icon: "stop",
    needsApplication: true,
    applies: (task) => isOurs(task) && !isDown(task),
    isEnabled: (task) => (task.state === "stopping" ? { reason: "It is stopping." } : unlocked(task)),
    run: (task) => controlTask("cluster.stopTask", task),
  },
  restart: {
    id: "task.restart",
    group: "Cluster",
    label: "Restart",
    named: (name) => `Restart ${name}`,
    icon: "refresh",
    needsApplication: true,
    applies: isOurs,
    isEnabled: (task) => (isDown(task) ? { reason: "It is not running." } : unlocked(task)),
    run: (task) => controlTask("cluster.restartTask", task),
  },
  clearState: {
    id: "task.clearState",
    group: "Cluster",
    label: "Clear state…",
    named: (name) => `Clear the state of ${name}…`,
    note: () => "Forgets its variables, queues and sessions.",
    icon: "undo",
    needsApplication: true,
    isEnabled: (task) => (task.state === "running" ? unlocked(task) : { reason: "It is not running." }),
    run: clearState,
  },
  showLog: {
    id: "task.showLog",
    group: "Cluster",
    label: "Show log",
    named: (name) => `Show the log of ${name}`,
    icon: "list",
    applies: isOurs,
    run: ({ id }) => uiActions.showLog(id),
  },
  copyAddress: {
    id: "task.copyAddress",
    group: "Cluster",
    label: "Copy address",
    named: (name) => `Copy the address of ${name}`,
    hint: ({ address }) => address,
    icon: "copy",
    isEnabled: ({ address }) => when(address !== "", "It has no address yet."),
    run: ({ address }) => copyText(address),
  },
  copyDevice: {
    id: "task.copyDevice",
    group: "Cluster",
    label: "Copy device",
    named: (name) => `Copy the device of ${name}`,
    hint: taskDevice,
    run: (task) => copyText(taskDevice(task)),
  },
  remove: {
    id: "task.remove",
    group: "Cluster",
    label: "Remove",
    labelNow: ({ foreign }) => (foreign ? "Remove from the list" : "Remove"),
    named: (name, { foreign }) => (foreign ? `Remove ${name} from the list` : `Remove ${name}`),
    icon: "trash",
    danger: true,
    needsApplication: true,
    isEnabled: unlocked,
    run: (task) => controlTask("cluster.removeTask", task),
  },
});
