/** The commands of the placement: suggesting one, judging it, measuring it. */
import {
  applySuggestion,
  cancelSuggestion,
  discardSuggestion,
  suggestPlacement,
} from "../actions/placement-actions.js";
import { startRun } from "../actions/run-actions.js";
import { runMachinesOf, useCluster } from "../stores/cluster-store.js";
import { useDocument } from "../stores/document-store.js";
import { useOps } from "../stores/ops-store.js";
import { placementTasks } from "../stores/placement-input.js";
import { isCurrent, movedVariables, type PlacementShown, usePlacement } from "../stores/placement-store.js";
import { uiActions } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { type CommandSpec, defineCommands, type Enabled, when } from "./command.js";
import { remember } from "./remember.js";
import { nothingRuns } from "./run-commands.js";
import { noTarget } from "./target-kinds.js";

const words = texts.commands.placement;

/** Single steps differ by chance; of more, the newest one is shown. */
const MEASURED_STEPS = 20;

const tasksOf = remember((document: ReturnType<typeof useDocument.getState>["document"], _cluster: unknown) =>
  placementTasks(document),
);

function canSuggest(): Enabled {
  const { document } = useDocument.getState();
  if (document.nodes.size === 0) return { reason: words.noNodes };
  if (useOps.getState().state !== "ready") return { reason: words.opsNotKnown };
  const { length } = tasksOf(document, runMachinesOf(useCluster.getState()));
  return when(length > 1, words.tooFewTasks);
}

/** Moves that are wanted; 0 without a suggestion. */
function wantedMoves(): number {
  const { suggestion } = usePlacement.getState();
  return suggestion ? suggestion.moves.length - suggestion.skipped.size : 0;
}

export const placementCommands = defineCommands(noTarget, {
  suggest: {
    id: "placement.suggest",
    group: "Graph",
    label: words.suggest.label,
    labelNow: () => (usePlacement.getState().suggestion ? words.suggest.suggestAgain : words.suggest.label),
    note: () => words.suggest.note,
    keywords: words.suggest.keywords,
    icon: "pin",
    isEnabled: canSuggest,
    run: async () => {
      uiActions.showSide("placement");
      await suggestPlacement();
    },
  },
  cancel: {
    id: "placement.cancel",
    group: "Graph",
    label: words.cancel.label,
    short: () => words.cancel.short,
    isEnabled: () => when(usePlacement.getState().search !== undefined, words.cancel.reason),
    run: cancelSuggestion,
  },
  keepPins: {
    id: "placement.keepPins",
    group: "Graph",
    label: words.keepPins.label,
    short: () => words.keepPins.short,
    isOn: () => usePlacement.getState().keepPins,
    run: () => usePlacement.setState(({ keepPins }) => ({ keepPins: !keepPins })),
  },
  apply: {
    id: "placement.apply",
    group: "Graph",
    label: words.apply.label,
    short: () => words.apply.short({ count: wantedMoves() }),
    hint: () => words.apply.hint({ count: wantedMoves() }),
    isEnabled: () => {
      const { suggestion } = usePlacement.getState();
      if (!suggestion) return { reason: words.apply.noPlacementSuggested };
      if (!isCurrent(suggestion)) return { reason: words.apply.outdated };
      if (wantedMoves() === 0) return { reason: words.apply.noMoveChosen };
      // Its steps would go on changing the values that were read to be moved.
      return movedVariables(suggestion).length === 0 || nothingRuns();
    },
    run: applySuggestion,
  },
  discard: {
    id: "placement.discard",
    group: "Graph",
    label: words.discard.label,
    short: () => words.discard.short,
    isEnabled: () => when(usePlacement.getState().suggestion !== undefined, words.discard.reason),
    run: discardSuggestion,
  },
  measure: {
    id: "placement.measure",
    group: "Run",
    label: words.measure.label({ steps: MEASURED_STEPS }),
    short: () => words.measure.short({ steps: MEASURED_STEPS }),
    note: () => words.measure.note,
    icon: "pulse",
    takesDocument: true,
    needsApplication: true,
    isEnabled: nothingRuns,
    run: () => startRun(MEASURED_STEPS, true),
  },
});

function showOnCanvas(shown: PlacementShown): CommandSpec<void> {
  return {
    id: `placement.show.${shown}`,
    group: "View",
    label: words.show[shown],
    keywords: words.show.keywords,
    isOn: () => usePlacement.getState().shown === shown,
    isEnabled: () => when(wantedMoves() > 0, words.show.reason),
    run: () => usePlacement.setState({ shown }),
  };
}

/** One of them is active. */
export const placementShownCommands = defineCommands(noTarget, {
  now: showOnCanvas("now"),
  changes: showOnCanvas("changes"),
  after: showOnCanvas("after"),
});
