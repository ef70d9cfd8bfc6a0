import type { QueuedRun } from "../../main/api/run-queue.js";
import { initialiseAndRunAgain } from "../actions/initialise-actions.js";
import {
  dismissRecovery,
  goOnFromCheckpoint,
  goOnLabel,
  type Resumable,
} from "../actions/recovery-actions.js";
import { restoreRequest } from "../actions/restore-actions.js";
import {
  enqueueRun,
  pauseOrResumeRun,
  saveCheckpointNow,
  startRun,
  stopRun,
} from "../actions/run-actions.js";
import type { Initialisation } from "../document/initialisers.js";
import type { GraphDocument } from "../document/model.js";
import type { NoticeAction } from "../stores/app-store.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { useOps } from "../stores/ops-store.js";
import { isActive, useDocumentRun, useRun } from "../stores/run-store.js";
import { useSavedModel } from "../stores/saved-model-store.js";
import { uiActions, useUi } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { defineCommands, type Enabled, type TargetKind, when } from "./command.js";
import { remember } from "./remember.js";
import { documentTarget, noTarget, runTarget, stepsTarget } from "./target-kinds.js";

const words = texts.commands.run;

/** One run at a time, whichever document it computes. */
export function nothingRuns(): Enabled {
  return when(!isActive(useRun.getState().newest), words.runInProgress);
}

/** The steps of a long run: as the chosen configuration says, or as they were chosen for the document last. */
export function longRunSteps(): number {
  const { steps } = useDocument.getState().document.runConfig;
  return steps > 1 ? steps : useDocumentRun.getState().manySteps;
}

const manySteps = () => words.stepCount({ count: longRunSteps() });

export const runCommands = defineCommands(documentTarget, {
  once: {
    id: "run.once",
    group: "Run",
    label: words.once.label,
    short: () => words.once.short,
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
    label: words.many.label,
    short: () => words.many.short({ count: longRunSteps() }),
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
    label: words.customSteps.label,
    short: () => words.customSteps.short,
    needsApplication: true,
    isEnabled: nothingRuns,
    run: () => uiActions.open({ kind: "custom-steps" }),
  },
  enqueue: {
    id: "run.enqueue",
    group: "Run",
    label: words.enqueue.label,
    short: () => words.enqueue.short,
    keywords: words.enqueue.keywords,
    takesDocument: true,
    needsApplication: true,
    isEnabled: () => when(isActive(useRun.getState().newest), words.enqueue.reason),
    run: enqueueRun,
  },
  choose: {
    id: "run.choose",
    group: "Run",
    label: words.choose.label,
    short: () => words.choose.short,
    keywords: words.choose.keywords,
    shortcut: "Mod+5",
    whileTyping: true,
    run: () => uiActions.showDock("run"),
  },
  initialise: {
    id: "run.initialise",
    group: "Run",
    label: words.initialise.label,
    labelNow: () => initialiseText(initialisation()),
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

/** That command as the action of a message; undefined if it does not apply to the shown document. */
export function initialiseOffer(): NoticeAction | undefined {
  const { applies, label, run } = runCommands.initialise.now();
  return applies ? { label, run: () => void run() } : undefined;
}

function initialiseText({ targets, missing }: Initialisation): string {
  const [variable] = missing;
  if (variable !== undefined) {
    return missing.length === 1
      ? words.initialise.startOne({ variable })
      : words.initialise.startSeveral({ count: missing.length });
  }
  return targets.length === 1
    ? words.initialise.runOne({ initializer: targets[0] ?? "" })
    : words.initialise.runSeveral({ count: targets.length });
}

export const stepsCommands = defineCommands(stepsTarget, {
  run: {
    id: "run.steps",
    group: "Run",
    label: words.steps.run.label,
    short: (steps) => words.steps.run.short({ steps }),
    isOn: (steps) => steps === longRunSteps(),
    icon: "fast-forward",
    takesDocument: true,
    needsApplication: true,
    isEnabled: nothingRuns,
    run: async (steps) => {
      useDocumentRun.setState({ manySteps: steps });
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
    label: words.activeRun.pause.label,
    labelNow: ({ state }) =>
      state === "paused" ? words.activeRun.pause.resumeRun : words.activeRun.pause.label,
    short: ({ state }) => (state === "paused" ? words.activeRun.pause.resume : words.activeRun.pause.pause),
    note: ({ state }) => (state === "paused" ? undefined : words.activeRun.pause.note),
    icon: ({ state }) => (state === "paused" ? "play" : "pause"),
    needsApplication: true,
    applies: ({ steps }) => steps > 1,
    isEnabled: ({ state }) => when(state !== "stopping", words.activeRun.pause.reason),
    run: pauseOrResumeRun,
  },
  saveCheckpoint: {
    id: "run.saveCheckpoint",
    group: "Run",
    label: words.activeRun.saveCheckpoint.label,
    short: () => words.activeRun.saveCheckpoint.short,
    note: ({ state }) => (state === "paused" ? undefined : words.activeRun.saveCheckpoint.note),
    keywords: words.activeRun.saveCheckpoint.keywords,
    icon: "save",
    needsApplication: true,
    applies: ({ steps }) => steps > 1,
    isEnabled: ({ step, checkpoints }) =>
      step === 0
        ? { reason: words.activeRun.saveCheckpoint.noStep }
        : when(checkpoints?.saving !== true, words.activeRun.saveCheckpoint.saving),
    run: saveCheckpointNow,
  },
  stop: {
    id: "run.stop",
    group: "Run",
    label: words.activeRun.stop.label,
    short: () => (isStopping() ? words.activeRun.stop.abort : words.activeRun.stop.stop),
    note: () => (isStopping() ? words.activeRun.stop.abortNote : words.activeRun.stop.stopNote),
    hint: () => (isStopping() ? words.activeRun.stop.abortHint : words.activeRun.stop.stoppingHint),
    icon: "stop",
    shortcut: "Shift+Escape",
    whileTyping: true,
    needsApplication: true,
    run: stopRun,
  },
});

/** The newest run, or that of the document, if it failed because it lost a task and can go on. */
const recoveryTarget: TargetKind<Resumable> = {
  name: "run that lost a task",
  current: () => {
    const run = [useRun.getState().newest, useDocumentRun.getState().latest].find((one) => one?.recovery);
    return run ? { target: run } : { reason: words.recovery.none };
  },
};

export const recoveryCommands = defineCommands(recoveryTarget, {
  goOn: {
    id: "run.goOn",
    group: "Run",
    label: words.recovery.goOn.label,
    short: ({ recovery }) => goOnLabel(recovery?.checkpointStep ?? 0),
    keywords: words.recovery.goOn.keywords,
    icon: "play",
    needsApplication: true,
    isEnabled: nothingRuns,
    run: goOnFromCheckpoint,
  },
  dismiss: {
    id: "run.dismissRecovery",
    group: "Run",
    label: words.recovery.dismiss.label,
    short: () => words.recovery.dismiss.short,
    note: () => words.recovery.dismiss.note,
    icon: "close",
    needsApplication: true,
    run: dismissRecovery,
  },
});

const queuedTarget: TargetKind<QueuedRun> = {
  name: "waiting run",
  current: () => {
    const [target] = useRun.getState().queue;
    return target === undefined ? { reason: words.noRunWaiting } : { target };
  },
  all: () => useRun.getState().queue,
  nameOf: ({ configuration, document }) => [configuration, document].filter(Boolean).join(" of "),
};

export const queuedRunCommands = defineCommands(queuedTarget, {
  remove: {
    id: "run.dequeue",
    group: "Run",
    label: words.queuedRun.remove.label,
    named: (name) => words.queuedRun.remove.named({ name }),
    icon: "close",
    needsApplication: true,
    run: ({ queueId }) => client().call("runs.dequeue", { queueId }),
  },
});

export const traceCommands = defineCommands(noTarget, {
  toggle: {
    id: "run.trace",
    group: "Run",
    label: words.trace.toggle.label,
    short: () => words.trace.toggle.short,
    note: () => words.trace.toggle.note,
    icon: "pulse",
    isOn: () => useUi.getState().trace,
    run: () => uiActions.setTrace(!useUi.getState().trace),
  },
});
