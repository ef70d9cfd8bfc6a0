/** The commands of the placement: suggesting one, judging it, measuring it. */
import {
  applySuggestion,
  cancelSuggestion,
  discardSuggestion,
  suggestPlacement,
} from "../actions/placement-actions.js";
import { startRun } from "../actions/run-actions.js";
import { useCluster } from "../stores/cluster-store.js";
import { useDocument } from "../stores/document-store.js";
import { useOps } from "../stores/ops-store.js";
import { placementTasks } from "../stores/placement-input.js";
import { isCurrent, type PlacementShown, usePlacement } from "../stores/placement-store.js";
import { uiActions } from "../stores/ui-store.js";
import { countText } from "../ui/format.js";
import { type CommandSpec, defineCommands, type Enabled, when } from "./command.js";
import { remember } from "./remember.js";
import { nothingRuns } from "./run-commands.js";
import { noTarget } from "./target-kinds.js";

/** Single steps differ by chance; of more, the newest one is shown. */
const MEASURED_STEPS = 20;

const tasksOf = remember((document: ReturnType<typeof useDocument.getState>["document"], _cluster: unknown) =>
  placementTasks(document),
);

function canSuggest(): Enabled {
  const { document } = useDocument.getState();
  if (document.nodes.size === 0) return { reason: "The graph has no nodes." };
  if (useOps.getState().state !== "ready") return { reason: "The op list is not known yet." };
  const { length } = tasksOf(document, useCluster.getState().state);
  return when(length > 1, "The cluster has fewer than two tasks to choose from. Add a worker first.");
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
    label: "Suggest a placement",
    labelNow: () => (usePlacement.getState().suggestion ? "Suggest again" : "Suggest a placement"),
    note: () => "Search for pins with a shorter step. Nothing changes until you apply them.",
    keywords: "pin, balance, partition, device, faster, automatic",
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
    label: "Stop the search for a placement",
    short: () => "Cancel",
    isEnabled: () =>
      when(usePlacement.getState().search !== undefined, "No placement is being searched for."),
    run: cancelSuggestion,
  },
  keepPins: {
    id: "placement.keepPins",
    group: "Graph",
    label: "Keep pinned nodes where they are when a placement is suggested",
    short: () => "Keep pinned nodes where they are",
    isOn: () => usePlacement.getState().keepPins,
    run: () => usePlacement.setState(({ keepPins }) => ({ keepPins: !keepPins })),
  },
  apply: {
    id: "placement.apply",
    group: "Graph",
    label: "Apply the suggested placement",
    short: () => `Apply ${countText(wantedMoves(), "move")}`,
    hint: () => countText(wantedMoves(), "move"),
    isEnabled: () => {
      const { suggestion } = usePlacement.getState();
      if (!suggestion) return { reason: "No placement is suggested." };
      if (!isCurrent(suggestion)) return { reason: "The graph has changed since. Suggest again." };
      return when(wantedMoves() > 0, "No move is chosen.");
    },
    run: applySuggestion,
  },
  discard: {
    id: "placement.discard",
    group: "Graph",
    label: "Discard the suggested placement",
    short: () => "Discard",
    isEnabled: () => when(usePlacement.getState().suggestion !== undefined, "No placement is suggested."),
    run: discardSuggestion,
  },
  measure: {
    id: "placement.measure",
    group: "Run",
    label: `Measure the step: run ${MEASURED_STEPS} traced steps`,
    short: () => `Run ${MEASURED_STEPS} traced steps`,
    note: () => "Measures the time of each node and of what is sent. The last step counts.",
    icon: "pulse",
    takesDocument: true,
    needsApplication: true,
    isEnabled: nothingRuns,
    run: () => startRun(MEASURED_STEPS, true),
  },
});

function showOnCanvas(shown: PlacementShown, what: string): CommandSpec<void> {
  return {
    id: `placement.show.${shown}`,
    group: "View",
    label: `Show ${what} on the canvas`,
    keywords: "pin, preview, suggested placement",
    isOn: () => usePlacement.getState().shown === shown,
    isEnabled: () => when(wantedMoves() > 0, "No placement is suggested."),
    run: () => usePlacement.setState({ shown }),
  };
}

/** One of them is active. */
export const placementShownCommands = defineCommands(noTarget, {
  now: showOnCanvas("now", "the graph as it is placed now"),
  changes: showOnCanvas("changes", "what the suggested placement would move"),
  after: showOnCanvas("after", "the graph as it would be placed"),
});
