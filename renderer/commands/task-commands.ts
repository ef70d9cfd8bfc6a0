/** The commands of a task. */
import type { Task } from "../../main/api/cluster.js";
import { clearState, controlTask } from "../actions/cluster-actions.js";
import { copyText } from "../actions/copy-text.js";
import { taskDevice } from "../cluster/task-name.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { defineCommands, type Enabled, unless, when } from "./command.js";
import { taskTarget } from "./target-kinds.js";

const words = texts.commands.task;

/** A process of ours or of a paired machine; others are started and stopped by their owners. */
const isOurs = ({ foreign }: Task) => !foreign;
/** Or one in a pod, which can be replaced. */
const isControlled = ({ foreign, pod }: Task) => !foreign || pod !== undefined;
const isDown = ({ state }: Task) => state === "stopped" || state === "failed";

function unlocked({ locked, unreachable }: Task): Enabled {
  return unless(unreachable ? words.unreachable : locked?.message);
}

export const taskCommands = defineCommands(taskTarget, {
  start: {
    id: "task.start",
    group: "Cluster",
    label: words.start.label,
    short: () => words.start.short,
    named: (name) => words.start.named({ name }),
    icon: "power",
    needsApplication: true,
    applies: (task) => isOurs(task) && isDown(task),
    isEnabled: unlocked,
    run: (task) => controlTask("cluster.startTask", task),
  },
  stop: {
    id: "task.stop",
    group: "Cluster",
    label: words.stop.label,
    named: (name) => words.stop.named({ name }),
    icon: "stop",
    needsApplication: true,
    applies: (task) => isOurs(task) && !isDown(task),
    isEnabled: (task) => (task.state === "stopping" ? { reason: words.stop.reason } : unlocked(task)),
    run: (task) => controlTask("cluster.stopTask", task),
  },
  restart: {
    id: "task.restart",
    group: "Cluster",
    label: words.restart.label,
    named: (name) => words.restart.named({ name }),
    icon: "refresh",
    needsApplication: true,
    applies: isControlled,
    isEnabled: (task) =>
      isDown(task) && task.pod === undefined ? { reason: words.restart.reason } : unlocked(task),
    run: (task) => controlTask("cluster.restartTask", task),
  },
  clearState: {
    id: "task.clearState",
    group: "Cluster",
    label: words.clearState.label,
    named: (name) => words.clearState.named({ name }),
    note: () => words.clearState.note,
    icon: "undo",
    needsApplication: true,
    isEnabled: (task) => (task.state === "running" ? unlocked(task) : { reason: words.clearState.reason }),
    run: clearState,
  },
  showLog: {
    id: "task.showLog",
    group: "Cluster",
    label: words.showLog.label,
    named: (name) => words.showLog.named({ name }),
    icon: "list",
    applies: isControlled,
    run: ({ id }) => uiActions.showLog(id),
  },
  copyAddress: {
    id: "task.copyAddress",
    group: "Cluster",
    label: words.copyAddress.label,
    named: (name) => words.copyAddress.named({ name }),
    hint: ({ address }) => address,
    icon: "copy",
    isEnabled: ({ address }) => when(address !== "", words.copyAddress.reason),
    run: ({ address }) => copyText(address),
  },
  copyDevice: {
    id: "task.copyDevice",
    group: "Cluster",
    label: words.copyDevice.label,
    named: (name) => words.copyDevice.named({ name }),
    hint: taskDevice,
    run: (task) => copyText(taskDevice(task)),
  },
  remove: {
    id: "task.remove",
    group: "Cluster",
    label: words.remove.label,
    labelNow: ({ foreign }) => (foreign ? words.remove.removeFromList : words.remove.label),
    named: (name, { foreign }) =>
      foreign ? words.remove.removeNameFromList({ name }) : words.remove.removeName({ name }),
    icon: "trash",
    danger: true,
    needsApplication: true,
    applies: ({ pod }) => pod === undefined,
    isEnabled: unlocked,
    run: (task) => controlTask("cluster.removeTask", task),
  },
});
