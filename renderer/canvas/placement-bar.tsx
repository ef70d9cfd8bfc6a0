import type { ReactElement } from "react";
import { PlacementShownChoice } from "../parts/placement-shown.js";
import { useDocument } from "../stores/document-store.js";
import { useKernels } from "../stores/kernel-store.js";
import { usePlacementPreview } from "../stores/placement-preview.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import textStyles from "../ui/text.module.css";
import barStyles from "./overlay-bar.module.css";

const words = texts.canvas.placementBar;

/** How many nodes a suggested placement would move, and the choice of what the canvas shows of it. */
export function PlacementBar(): ReactElement | null {
  const preview = usePlacementPreview();
  const hasProblems = useDocument((state) => state.problems.size > 0);
  const hasWarnings = useKernels((state) => state.missing.tasks.length > 0);
  if (preview === undefined) return null;
  const { shown, moving } = preview;
  return (
    <section
      className={classNames(
        barStyles.bar,
        barStyles.topRight,
        (hasProblems || hasWarnings) && barStyles.belowTopRight,
      )}
      aria-label={words.label}
    >
      <span className={textStyles.truncated} aria-live="polite">
        {shown === "after" ? words.moved({ count: moving }) : words.wouldMove({ count: moving })}
      </span>
      <PlacementShownChoice />
    </section>
  );
}
