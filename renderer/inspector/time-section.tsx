/** How long the node took in the newest traced step. */

import type { ReactElement } from "react";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { HeadingAside, Note, Section, SectionHeading } from "../parts/section.js";
import { useBeforeEdit } from "../stores/before-edit.js";
import { useGraphRun } from "../stores/run-store.js";
import { bytesText, durationText, stepText } from "../ui/format.js";
import textStyles from "../ui/text.module.css";
import { microsText, nodeRunOf, shortDevice } from "../viewport/node-text.js";
import styles from "./figure.module.css";

export function TimeSection({ node }: { node: NodeDef }): ReactElement | null {
  const placed = useGraphRun((state) => nodeRunOf(state.latest?.nodes, node.name));
  const step = useGraphRun((state) => state.latest?.tracedStep);
  const stepMillis = useGraphRun((state) => state.latest?.tracedStepMillis);
  const withSetUp = useGraphRun((state) => state.latest?.tracedStepRegisteredGraph ?? false);
  const stale = useBeforeEdit();
  if (!placed) return null;
  const share = stepMillis ? placed.durationMicros / 10 / stepMillis : undefined;
  const parts = [`on ${shortDevice(placed.device)}`];
  if (placed.outputBytes > 0) parts.push(`output ${bytesText(placed.outputBytes)}`);
  if (stepMillis !== undefined)
    parts.push(`whole step ${durationText(stepMillis)}${withSetUp ? " with set-up" : ""}`);
  return (
    <Section last stale={stale}>
      <SectionHeading>
        Time
        <span className={textStyles.grow} />
        <HeadingAside>
          {step === undefined ? "" : `${stepText(step)}, traced`}
          {stale ? ", before edit" : ""}
        </HeadingAside>
      </SectionHeading>
      <div className={styles.figure}>
        <b>{microsText(placed.durationMicros)}</b>
        {share === undefined || share > 100 ? null : (
          <span>{share < 0.05 ? "<0.1" : share.toFixed(1)}% of step</span>
        )}
      </div>
      <Note>{parts.join(" · ")}</Note>
    </Section>
  );
}
