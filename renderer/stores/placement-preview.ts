/** The suggested placement as the canvas shows it before it is applied: the graph as it is, what changes, or what comes of it. */
import { useShallow } from "zustand/react/shallow";
import { useGraph } from "./document-state.js";
import { type PlacementShown, type Suggestion, usePlacement } from "./placement-store.js";

/** The devices of a node, "/job:worker/task:0". */
export interface PreviewedPlace {
  /** Where a run would compute it as it is pinned now. */
  readonly now: string;
  readonly after: string;
}

export interface PlacementPreview {
  readonly shown: PlacementShown;
  /** The nodes that the suggestion places. */
  readonly places: ReadonlyMap<string, PreviewedPlace>;
  /** Among these, the number of nodes that move. */
  readonly moving: number;
}

type Places = Pick<PlacementPreview, "places" | "moving">;

const known = new WeakMap<Suggestion, Places>();

function placesOf(suggestion: Suggestion): Places {
  const before = known.get(suggestion);
  if (before) return before;
  const { step, assignment } = suggestion;
  const places = new Map<string, PreviewedPlace>();
  let moving = 0;
  for (const [unit, names] of step.members.entries()) {
    const now = step.tasks[step.start[unit] ?? 0]?.device ?? "";
    const after = step.tasks[assignment[unit] ?? 0]?.device ?? "";
    if (now !== after) moving += names.length;
    for (const name of names) places.set(name, { now, after });
  }
  const made = { places, moving };
  known.set(suggestion, made);
  return made;
}

function previewOf(nodes: unknown, suggestion: Suggestion | undefined, shown: PlacementShown) {
  if (!suggestion || suggestion.moves.length === 0 || suggestion.nodes !== nodes) return undefined;
  return { shown, ...placesOf(suggestion) };
}

/** Undefined unless moves are suggested for the graph that is shown, as it is now. */
export function placementPreview(): PlacementPreview | undefined {
  const { suggestion, shown } = usePlacement.getState();
  return previewOf(useGraph.getState().document.nodes, suggestion, shown);
}

/** The same for a component, which is rendered again only if it differs: each node of the canvas asks. */
export function usePlacementPreview(): PlacementPreview | undefined {
  const suggestion = usePlacement((state) => state.suggestion);
  const shown = usePlacement((state) => state.shown);
  return useGraph(useShallow(({ document }) => previewOf(document.nodes, suggestion, shown)));
}

/** The device that the canvas shows for a node: the one of the suggestion while its outcome is shown, else its own. */
export function shownDevice(
  { name, device }: { readonly name: string; readonly device: string },
  preview: PlacementPreview | undefined,
): string {
  return preview?.shown === "after" ? (preview.places.get(name)?.after ?? device) : device;
}

/** Where a node would go; undefined if it stays, or only the graph as it is now is shown. */
export function movingTo(name: string, preview: PlacementPreview | undefined): string | undefined {
  const place = preview?.places.get(name);
  return preview === undefined || preview.shown === "now" || place === undefined || place.now === place.after
    ? undefined
    : place.after;
}
