import type { ReactElement } from "react";
import { placementCommands } from "../commands/placement-commands.js";
import { CommandButton } from "../parts/command-button.js";
import { Note, Section, SectionHeading } from "../parts/section.js";
import { useDocument } from "../stores/document-store.js";
import { measuredIn, usePlacement } from "../stores/placement-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { texts } from "../texts/texts.js";
import { stepText } from "../ui/format.js";
import styles from "./placement-panel.module.css";
import { StepFigures } from "./step-figures.js";

const words = texts.placementPanel.appliedSection;

/** The placement that was applied, with its measured step once it was run. Not shown while it is undone. */
export function AppliedSection(): ReactElement | null {
  const applied = usePlacement((state) => state.applied);
  const revision = useDocument((state) => state.revision);
  const latest = useDocumentRun((state) => (state.runRevision === revision ? state.latest : undefined));
  if (!applied || applied.revision !== revision) return null;
  const measured = measuredIn(latest);
  return (
    <Section>
      <SectionHeading>{words.heading}</SectionHeading>
      <StepFigures
        before={applied.before}
        after={applied.after}
        measuredBefore={applied.measuredBefore}
        measuredAfter={measured}
      />
      {measured ? (
        <Note>{words.measuredIn({ step: stepText(measured.step, measured.hasSetUp) })}</Note>
      ) : null}
      {measured?.hasSetUp === false ? null : (
        <div className={styles.buttons}>
          <CommandButton command={placementCommands.measure} icon />
        </div>
      )}
    </Section>
  );
}
