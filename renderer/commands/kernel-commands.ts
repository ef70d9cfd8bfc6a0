/** The remedies that the current cluster offers if a task has no kernel for some nodes. */
import { taskDevice } from "../cluster/task-name.js";
import { nodesText } from "../document/edits/types.js";
import { taskWithTensorFlow } from "../kernels/missing-kernels.js";
import type { NoticeAction } from "../stores/app-store.js";
import { documentActions } from "../stores/document-store.js";
import { currentEngines } from "../stores/kernel-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { type Action, defineCommands } from "./command.js";
import { runtimeCommands } from "./runtime-commands.js";
import { type MissingNodes, missingNodesTarget } from "./target-kinds.js";

const words = texts.commands.kernel;

const other = ({ task }: MissingNodes) => taskWithTensorFlow(task, currentEngines());

export const kernelCommands = defineCommands(missingNodesTarget, {
  pinElsewhere: {
    id: "kernel.pinElsewhere",
    group: "Graph",
    label: words.pinElsewhere.label,
    short: (missing) =>
      words.pinElsewhere.short({
        nodes: nodesText(missing.movable),
        name: other(missing)?.name ?? words.anotherTask,
      }),
    named: (name) => words.pinElsewhere.named({ name }),
    hint: ({ movable }) => nodesText(movable),
    applies: (missing) => missing.movable.length > 0 && other(missing) !== undefined,
    run: (missing) => {
      const task = other(missing);
      if (task) documentActions.pinInGraph(missing.movable, taskDevice(task));
    },
  },
  changeEngine: {
    id: "kernel.changeEngine",
    group: "Graph",
    label: words.changeEngine.label,
    short: ({ task }) => words.changeEngine.short({ task: task.name }),
    named: (name) => words.changeEngine.named({ name }),
    applies: ({ task }) => task.exists && task.couldHaveTensorFlow,
    run: () => uiActions.open({ kind: "cluster-table" }),
  },
});

/** The best one: another task, the same task on another engine, or the installation that either needs. */
function bestWayOut(missing: MissingNodes): Action | undefined {
  const { pinElsewhere, changeEngine } = kernelCommands;
  const ways = [pinElsewhere.on(missing), changeEngine.on(missing), runtimeCommands.install.now()];
  return ways.find(({ reason }) => reason === undefined);
}

export const wayOutCommands = defineCommands(missingNodesTarget, {
  best: {
    id: "kernel.wayOut",
    group: "Graph",
    label: words.wayOut.best.label,
    short: (missing) => bestWayOut(missing)?.short ?? "",
    named: (name) => words.wayOut.best.named({ name }),
    note: (missing) => bestWayOut(missing)?.note,
    hint: (missing) => bestWayOut(missing)?.short,
    applies: (missing) => bestWayOut(missing) !== undefined,
    run: (missing) => void bestWayOut(missing)?.run(),
  },
});

/** The best remedy as the action of a message; undefined if there is none. */
export function wayOutOffer(missing: MissingNodes): NoticeAction | undefined {
  const { applies, short: label, run } = wayOutCommands.best.on(missing);
  return applies ? { label, run: () => void run() } : undefined;
}
