/** Ways out where a task has no kernel for some nodes, as far as the cluster as it is has any. */

import { taskDevice } from "../cluster/task-name.js";
import { nodesText } from "../document/edits/types.js";
import { type MissingOnTask, taskWithTensorFlow } from "../kernels/missing-kernels.js";
import type { NoticeAction } from "../stores/app-store.js";
import { documentActions } from "../stores/document-store.js";
import { currentEngines } from "../stores/kernel-store.js";
import { useRuntime } from "../stores/runtime-store.js";
import { uiActions } from "../stores/ui-store.js";

/** The label of the command that installs it, which lies above this folder. */
export const INSTALL_RUNTIME = "Install TensorFlow runtime…";

/** The best one: another task, the same task on another engine, or the installation that either needs. */
export function wayOut({ task, movable }: Pick<MissingOnTask, "task" | "movable">): NoticeAction | undefined {
  const other = taskWithTensorFlow(task, currentEngines());
  if (other && movable.length > 0) {
    return {
      label: `Pin ${nodesText(movable)} to ${other.name}`,
      run: () => void documentActions.pin(movable, taskDevice(other)),
    };
  }
  if (task.exists && task.couldHaveTensorFlow) {
    return {
      label: `Change the engine of ${task.name}…`,
      run: () => uiActions.open({ kind: "cluster-table" }),
    };
  }
  return useRuntime.getState().state?.offer
    ? { label: INSTALL_RUNTIME, run: () => uiActions.open({ kind: "install" }) }
    : undefined;
}
