import type { ReactElement } from "react";
import { placementShownCommands } from "../commands/placement-commands.js";
import { type PlacementShown, usePlacement } from "../stores/placement-store.js";
import { texts } from "../texts/texts.js";
import { Segmented } from "../ui/segmented.js";

const words = texts.parts.placementShown;

const OPTIONS: readonly { readonly id: PlacementShown; readonly label: string }[] = [
  { id: "now", label: words.now },
  { id: "changes", label: words.changes },
  { id: "after", label: words.after },
];

/** Chooses what the canvas shows of a suggested placement. */
export function PlacementShownChoice({ wide = false }: { readonly wide?: boolean }): ReactElement {
  const shown = usePlacement((state) => state.shown);
  return (
    <Segmented
      label={words.label}
      options={OPTIONS}
      selected={shown}
      size={wide ? "wide" : "compact"}
      onSelect={(id) => void placementShownCommands[id].now().run()}
    />
  );
}
