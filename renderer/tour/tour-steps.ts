/** The text of each step of the tour, its place, and how it is done: by the user, or by the tour for the user. */
import { TOUR_NODES } from "../actions/tour-actions.js";
import { taskDevice, taskName, taskNameOfDevice } from "../cluster/task-name.js";
import { clusterCommands } from "../commands/cluster-commands.js";
import { runCommands } from "../commands/run-commands.js";
import { isUp, useCluster } from "../stores/cluster-store.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { isActive, useDocumentRun } from "../stores/run-store.js";
import type { TourStep } from "../stores/tour-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { shortcutText } from "../ui/shortcut.js";
import { selectInGraph } from "../viewport/travel.js";
import { revealNode } from "../viewport/view.js";

const words = texts.tour.tourSteps;

export interface StepOfUser {
  title(): string;
  text(): string;
  /** A selector of the control that the step is about; it may not be in the page. */
  readonly target: string;
  /** Brings the target into view. */
  prepare(): void;
  /** Does the step for the user. */
  perform(): void;
  /** The work under way towards the step's end: "Starting…"; undefined while the user is asked. */
  underWay(): string | undefined;
  /** Called when the step is shown. Returns whether it has been done since. */
  begin(): () => boolean;
}

const { moved, result } = TOUR_NODES;

const nodeOf = (name: string) => `.react-flow__node[data-id="${name}"]`;
const deviceOf = (name: string) => useDocument.getState().document.nodes.get(name)?.device ?? "";
/** "worker/0", or the whole device where it names no task. */
const placeOf = (name: string) => taskNameOfDevice(deviceOf(name)) ?? deviceOf(name);

/** The worker of the welcome graph that a node is not pinned to. */
function otherWorker(node: string): { readonly job: string; readonly index: number } {
  const first = { job: "worker", index: 0 };
  return placeOf(node) === taskName(first) ? { ...first, index: 1 } : first;
}

/** The tasks that the graph's nodes are pinned to, running or not. */
function namedTasks() {
  const { nodes } = useDocument.getState().document;
  const { taskForDevice } = useCluster.getState();
  const devices = new Set([...nodes.values()].map(({ device }) => device));
  devices.delete("");
  return [...devices].map((device) => taskForDevice(device));
}

export const STEPS: Readonly<Record<Exclude<TourStep, "end">, StepOfUser>> = {
  start: {
    title: () => words.start.title,
    text: () => words.start.text,
    target: '[data-command="cluster.startMissing"]',
    prepare: () => uiActions.showSide("cluster"),
    perform: () => void clusterCommands.startMissing.now().run(),
    underWay: () =>
      namedTasks().some((task) => task?.state === "starting") ? words.start.underWay : undefined,
    begin: () => () => namedTasks().every((task) => task !== undefined && isUp(task)),
  },
  pin: {
    title: () => words.pin.title({ node: moved, task: taskName(otherWorker(moved)) }),
    text: () => words.pin.text({ node: moved, task: taskName(otherWorker(moved)) }),
    target: nodeOf(moved),
    prepare: () => {
      uiActions.showSide("cluster");
      revealNode(moved);
    },
    perform: () => void documentActions.pin([moved], taskDevice(otherWorker(moved))),
    underWay: () => undefined,
    begin: () => {
      const before = deviceOf(moved);
      return () => deviceOf(moved) !== before;
    },
  },
  run: {
    title: () => words.run.title,
    text: () => words.run.text({ shortcut: shortcutText(runCommands.once.shortcut ?? "") }),
    target: '[data-command="run.once"]',
    prepare: () => undefined,
    perform: () => void runCommands.once.now().run(),
    underWay: () => (isActive(useDocumentRun.getState().latest) ? words.run.underWay : undefined),
    begin: () => {
      const before = useDocumentRun.getState().latest?.runId;
      return () => {
        const { latest } = useDocumentRun.getState();
        return latest !== undefined && latest.runId !== before && latest.state === "done";
      };
    },
  },
  look: {
    title: () => words.look.title({ node: result }),
    text: () => words.look.text({ node: result }),
    target: nodeOf(result),
    prepare: () => revealNode(result),
    perform: () => {
      selectInGraph([result]);
      uiActions.toggleInspector(true);
    },
    underWay: () => undefined,
    begin: () => () => useDocument.getState().selection.has(result),
  },
};
