/** What can be done with a task, as the entries of its menu. */
import type { Task } from "../../main/api/cluster.js";
import { clearState } from "../actions/cluster-actions.js";
import { copyText } from "../actions/copy-text.js";
import { taskDevice } from "../cluster/task-name.js";
import { attempt } from "../stores/app-store.js";
import { uiActions } from "../stores/ui-store.js";
import { client } from "../transport/client.js";
import type { MenuEntry } from "../ui/menu.js";

type Act = "cluster.startTask" | "cluster.stopTask" | "cluster.restartTask" | "cluster.removeTask";

export function taskMenu(task: Task): readonly MenuEntry[] {
  const { id: taskId, state, address, foreign, locked } = task;
  const act = (method: Act) => () => attempt(() => client().call(method, { taskId }));
  return [
    ...(foreign ? [] : processEntries(task, act)),
    {
      kind: "item",
      label: "Clear state…",
      note: locked?.message ?? "Forgets its variables, queues and sessions.",
      icon: "undo",
      disabled: state !== "running" || locked !== undefined,
      run: () => attempt(() => clearState(task)),
    },
    { kind: "separator" },
    ...(foreign
      ? []
      : [
          {
            kind: "item" as const,
            label: "Show log",
            icon: "list" as const,
            run: () => uiActions.showLog(taskId),
          },
        ]),
    {
      kind: "item",
      label: "Copy address",
      icon: "copy",
      hint: address,
      disabled: address === "",
      run: () => attempt(() => copyText(address)),
    },
    {
      kind: "item",
      label: "Copy device",
      hint: taskDevice(task),
      run: () => attempt(() => copyText(taskDevice(task))),
    },
    { kind: "separator" },
    {
      kind: "item",
      label: foreign ? "Take off the list" : "Remove",
      icon: "trash",
      danger: true,
      disabled: locked !== undefined,
      run: act("cluster.removeTask"),
    },
  ];
}

function processEntries({ state, locked }: Task, act: (method: Act) => () => void): readonly MenuEntry[] {
  const down = state === "stopped" || state === "failed";
  return [
    down
      ? {
          kind: "item",
          label: "Start",
          icon: "power",
          disabled: locked !== undefined,
          run: act("cluster.startTask"),
        }
      : {
          kind: "item",
          label: "Stop",
          icon: "stop",
          disabled: state === "stopping" || locked !== undefined,
          run: act("cluster.stopTask"),
        },
    {
      kind: "item",
      label: "Restart",
      icon: "refresh",
      disabled: down || locked !== undefined,
      run: act("cluster.restartTask"),
    },
  ];
}
