/** The bar on the canvas while a graph is made trainable: nodes are picked, or the graph that comes of it is looked at. */
import { type ReactElement, useEffect } from "react";
import { cancelStep, choosePicked, keepPreview, pickedOf } from "../actions/training-actions.js";
import { useGraph } from "../stores/document-store.js";
import { type TrainingStep, useTrainingSetup } from "../stores/training-setup.js";
import { useUi } from "../stores/ui-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import textStyles from "../ui/text.module.css";
import barStyles from "./overlay-bar.module.css";
import styles from "./training-bar.module.css";

const words = texts.canvas.trainingBar;

export function TrainingBar(): ReactElement | null {
  const step = useTrainingSetup((state) => state.step);
  const nodes = useGraph((state) => state.document.nodes);
  const isCovered = useUi((state) => state.dialog !== undefined);
  useEffect(() => {
    if (!step || isCovered) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      cancelStep(step);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [step, isCovered]);
  // Another edit has followed, or the preview was undone: there is nothing to decide.
  if (!step || (step.kind === "preview" && step.nodes !== nodes)) return null;
  return (
    <section className={classNames(barStyles.bar, styles.bar)} aria-label={words.label}>
      {step.kind === "pick" ? <Picking step={step} /> : <Preview step={step} />}
    </section>
  );
}

function Picking({ step }: { readonly step: Extract<TrainingStep, { kind: "pick" }> }): ReactElement {
  const selection = useGraph((state) => state.selection);
  const picked = pickedOf(step, selection);
  const [first] = picked;
  const chosen = step.what === "loss" ? picked.slice(0, 1) : picked;
  const says = selection.size > 0 && picked.length === 0 ? words.unfit[step.what] : words.select[step.what];
  return (
    <>
      <span className={textStyles.truncated} role="status">
        {says}
      </span>
      <Button size="small" onClick={() => cancelStep(step)}>
        {texts.common.cancel}
      </Button>
      <Button
        size="small"
        variant="primary"
        disabled={first === undefined}
        onClick={() => choosePicked(step, chosen)}
      >
        {chosen.length === 1 ? words.takeOne({ name: first ?? "" }) : words.take({ count: chosen.length })}
      </Button>
    </>
  );
}

function Preview({ step }: { readonly step: Extract<TrainingStep, { kind: "preview" }> }): ReactElement {
  return (
    <>
      <span className={textStyles.truncated} role="status">
        {words.preview({ count: step.added, scope: step.scope })}
      </span>
      <Button size="small" onClick={() => cancelStep(step)}>
        {words.back}
      </Button>
      <Button size="small" variant="primary" onClick={keepPreview}>
        {words.keep}
      </Button>
    </>
  );
}
