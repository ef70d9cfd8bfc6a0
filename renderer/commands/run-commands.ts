import type { QueuedRun } from "../../main/api/run-queue.js";
import { initialiseAndRunAgain } from "../actions/initialise-actions.js";
import { restoreRequest } from "../actions/restore-actions.js";
import { enqueueRun, pauseOrResumeRun, startRun, stopRun } from "../actions/run-actions.js";
import type { Initialisation } from "../document/initialisers.js";
import type { GraphDocument } from "../document/model.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { useOps } from "../stores/ops-store.js";
import { isActive, useDocumentRun, useRun } from "../stores/run-store.js";
import { useSavedModel } from "../stores/saved-model-store.js";
import { uiActions, useUi } from "../stores/ui-store.js";
import { client } from "../transport/client.js";
import { countText } from "../ui/format.js";
import { defineCommands, type Enabled, type TargetKind, when } from "./command.js";
import { remember } from "./remember.js";
import { documentTarget, noTarget, runTarget, stepsTarget } from "./target-kinds.js";

/** One run at a time, whichever document it computes. */
export function nothingRuns(): Enabled {
  return when(!isActive(useRun.getState().newest), "A run is in progress.");
}

/** Of a long run: what the chosen configuration says, or what was chosen in the window last. */
export function longRunSteps(): number {
  const { steps } = useDocument.getState().document.runConfig;
  return steps > 1 ? steps : useUi.getState().manySteps;
}

const manySteps = () => countText(longRunSteps(), "step");

export const runCommands = defineCommands(documentTarget, {
  once: {
    id: "run.once",
    group: "Run",
    label: "Run one step",
    short: () => "Run",
    icon: "play",
    shortcut: "Mod+Enter",
    takesDocument: true,
    needsApplication: true,
    isEnabled: nothingRuns,
    run: () => startRun(1),
  },
  many: {
    id: "run.many",
    group: "Run",
    label: "Run many steps",
    short: () => `Run ${manySteps()}`,
    hint: manySteps,
    icon: "fast-forward",
    shortcut: "Mod+Shift+Enter",
    takesDocument: true,
    needsApplication: true,
    isEnabled: nothingRuns,
    run: () => startRun(longRunSteps()),
  },
  customSteps: {
    id: "run.customSteps",
    group: "Run",
    label: "Run a number of steps…",
    short: () => "Another number…",
    needsApplication: true,
    isEnabled: nothingRuns,
    run: () => uiActions.open({ kind: "custom-steps" }),
  },
  enqueue: {
    id: "run.enqueue",
    group: "Run",
    label: "Run once the present run is over",
    short: () => "Add to the queue",
    keywords: "queue, wait, later",
    takesDocument: true,
    needsApplication: true,
    isEnabled: () => when(isActive(useRun.getState().newest), "Nothing is running."),
    run: enqueueRun,
  },
  choose: {
    id: "run.choose",
    group: "Run",
    label: "Choose what to run",
    short: () => "Choose what to run…",
    keywords: "fetches, targets, feeds, signature",
    shortcut: "Mod+5",
    whileTyping: true,
    run: () => uiActions.showDock("run"),
  },
  initialise: {
    id: "run.initialise",
    group: "Run",
    label: "Give variables a value, then run again",
    labelNow: () => `${initialiseText(initialisation())}, then run again`,
    takesDocument: true,
    needsApplication: true,
    applies: () => {
      // A SavedModel has its own values; others are only for a user who chose to skip those.
      if (restoreRequest().restore && !useSavedModel.getState().withoutValues) return false;
      const { targets, missing } = initialisation();
      return useDocumentRun.getState().latest !== undefined && targets.length + missing.length > 0;
    },
    isEnabled: nothingRuns,
    run: async () => {
      const { latest } = useDocumentRun.getState();
      if (latest) await initialiseAndRunAgain(latest);
    },
  },
});

/** For the open document in its current state, with the known ops. */
const initialisationOf = remember((_document: GraphDocument, _ops: unknown) =>
  documentActions.initialisation(),
);
const initialisation = () => initialisationOf(useDocument.getState().document, useOps.getState().ops);

function initialiseText({ targets, missing }: Initialisation): string {
  const [variable] = missing;
  if (variable !== undefined) {
    return missing.length === 1 ? `Start ${variable} at zero` : `Start ${missing.length} variables at zero`;
  }
  return targets.length === 1 ? `Run ${targets[0] ?? ""}` : `Run ${targets.length} initializers`;
}

export const stepsCommands = defineCommands(stepsTarget, {
  run: {
    id: "run.steps",
    group: "Run",
    label: "Run this many steps",
    short: (steps) => countText(steps, "step"),
    isOn: (steps) => steps === longRunSteps(),
    icon: "fast-forward",
    takesDocument: true,
    needsApplication: true,
    isEnabled: nothingRuns,
    run: async (steps) => {
      uiActions.setManySteps(steps);
      await startRun(steps);
    },
  },
});

/** Whether a stop was requested before, so that a second request cancels the step in progress. */
function isStopping(): boolean {
  const { newest, stopRequested } = useRun.getState();
  return newest !== undefined && (newest.state === "stopping" || stopRequested === newest.runId);
}

export const activeRunCommands = defineCommands(runTarget, {
  pause: {
    id: "run.pause",
    group: "Run",
    label: "Pause the run",
    labelNow: ({ state }) => (state === "paused" ? "Resume the run" : "Pause the run"),
    short: ({ state }) => (state === "paused" ? "Resume" : "Pause"),
    note: ({ state }) => (state === "paused" ? undefined : "Hold it after the current step"),
    icon: ({ state }) => (state === "paused" ? "play" : "pause"),
    needsApplication: true,
    applies: ({ steps }) => steps > 1,
    isEnabled: ({ state }) => when(state !== "stopping", "It is stopping."),
    run: pauseOrResumeRun,
  },
  stop: {
    id: "run.stop",
    group: "Run",
    label: "Stop the run",
    short: () => (isStopping() ? "Abort" : "Stop"),
    note: () =>
      isStopping()
        ? "Cancel the step that is running"
        : "Finish the current step, then stop; again: cancel it",
    hint: () => (isStopping() ? "again: abort the step" : "after this step"),
    icon: "stop",
    shortcut: "Shift+Escape",
    whileTyping: true,
    needsApplication: true,
    run: stopRun,
  },
});

const queuedTarget: TargetKind<QueuedRun> = {
  name: "waiting run",
  current: () => {
    const [target] = useRun.getState().queue;
    return target === undefined ? { reason: "No run is waiting." } : { target };
  },
  all: () => useRun.getState().queue,
  nameOf: ({ configuration, document }) => [configuration, document].filter(Boolean).join(" of "),
};

export const queuedRunCommands = defineCommands(queuedTarget, {
  remove: {
    id: "run.dequeue",
    group: "Run",
    label: "Do not run it",
    named: (name) => `Take ${name} out of the queue`,
    icon: "close",
    needsApplication: true,
    run: ({ queueId }) => client().call("runs.dequeue", { queueId }),
  },
});

export const traceCommands = defineCommands(noTarget, {
  toggle: {
    id: "run.trace",
    group: "Run",
    label: "Trace the next run",
    short: () => "Trace",
    note: () => "Record when and where every node runs. A traced step takes longer.",
    icon: "pulse",
    isOn: () => useUi.getState().trace,
    run: () => uiActions.setTrace(!useUi.getState().trace),
  },
});
