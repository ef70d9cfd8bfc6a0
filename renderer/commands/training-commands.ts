/** Making a graph trainable, and what its training saved. */
import type { SavedCheckpoint } from "../../main/api/checkpoints.js";
import { crumbsOf } from "../actions/paths.js";
import { openMakeTrainable } from "../actions/training-actions.js";
import { restoreCheckpoint } from "../actions/variable-actions.js";
import { computesLoss } from "../document/trainable.js";
import { lookupOp, useGraph } from "../stores/document-store.js";
import { isActive, useDocumentRun, useRun } from "../stores/run-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { defineCommands, type Enabled, type TargetKind, when } from "./command.js";
import { isRunByItself } from "./node-commands.js";
import { noTarget } from "./target-kinds.js";

const words = texts.commands.training;

/** The only selected node. */
function selectedNode(): string | undefined {
  const { selection } = useGraph.getState();
  return selection.size === 1 ? [...selection][0] : undefined;
}

/** Whether the selected node computes what could be a loss. */
export function isLossSelected(): boolean {
  const { document, shapes } = useGraph.getState();
  const node = selectedNode();
  return node !== undefined && computesLoss(document, lookupOp, shapes, node);
}

/** A checkpoint that the newest run of the document has saved, or found. */
const checkpointTarget: TargetKind<SavedCheckpoint> = {
  name: "checkpoint",
  current: () => {
    const [target] = savedCheckpoints();
    return target ? { target } : { reason: words.noCheckpoint };
  },
  all: savedCheckpoints,
  nameOf: ({ prefix }) => crumbsOf(prefix).at(-1)?.name ?? prefix,
};

function savedCheckpoints(): readonly SavedCheckpoint[] {
  const { saved = [], best } = useDocumentRun.getState().latest?.checkpoints ?? {};
  return best ? [...saved, best.saved] : saved;
}

/** Steps in progress would go on with some values of before. */
function noStepInProgress(): Enabled {
  const { newest } = useRun.getState();
  return when(!isActive(newest) || newest?.state === "paused", words.restore.running);
}

export const checkpointCommands = defineCommands(checkpointTarget, {
  restore: {
    id: "checkpoint.restore",
    group: "Run",
    label: words.restore.label,
    short: () => words.restore.short,
    named: (name) => words.restore.named({ name }),
    keywords: words.restore.keywords,
    needsApplication: true,
    isEnabled: noStepInProgress,
    run: restoreCheckpoint,
  },
  export: {
    id: "checkpoint.export",
    group: "Run",
    label: words.export.label,
    short: () => words.export.short,
    named: (name) => words.export.named({ name }),
    keywords: words.export.keywords,
    needsApplication: true,
    run: ({ prefix }) => uiActions.open({ kind: "export-model", checkpoint: prefix }),
  },
});

export const trainingCommands = defineCommands(noTarget, {
  make: {
    id: "graph.makeTrainable",
    group: "Graph",
    label: words.make.label,
    keywords: words.make.keywords,
    icon: "pulse",
    applies: isRunByItself,
    run: () => openMakeTrainable(selectedNode()),
  },
});
