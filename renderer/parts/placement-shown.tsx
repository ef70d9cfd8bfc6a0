import type { ReactElement } from "react";
import { placementShownCommands } from "../commands/placement-commands.js";
import { type PlacementShown, usePlacement } from "../stores/placement-store.js";
import { Segmented } from "../ui/segmented.js";

const OPTIONS: readonly { readonly id: PlacementShown; readonly label: string }[] = [
  { id: "now", label: "Now" },
  { id: "changes", label: "Changes" },
  { id: "after", label: "After" },
];

/** Chooses what the canvas shows of a suggested placement. */
export function PlacementShownChoice({ wide = false }: { readonly wide?: boolean }): ReactElement {
  const shown = usePlacement((state) => state.shown);
  return (
    <Segmented
      label="Placement on the canvas"
      options={OPTIONS}
      selected={shown}
      size={wide ? "wide" : "compact"}
      onSelect={(id) => void placementShownCommands[id].now().run()}
    />
  );
}
