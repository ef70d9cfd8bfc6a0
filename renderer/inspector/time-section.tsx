/** How long the node took in the newest traced step. */
import type { ReactElement } from "react";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { HeadingAside, Note, Section, SectionHeading } from "../parts/section.js";
import { useBeforeEdit } from "../stores/before-edit.js";
import { useGraphRun } from "../stores/run-store.js";
import { texts } from "../texts/texts.js";
import { bytesText, digitsText, durationText, stepText } from "../ui/format.js";
import textStyles from "../ui/text.module.css";
import { microsText, nodeRunOf, shortDevice } from "../viewport/node-text.js";
import styles from "./figure.module.css";

const words = texts.inspector.timeSection;

export function TimeSection({ node }: { node: NodeDef }): ReactElement | null {
  const placed = useGraphRun((state) => nodeRunOf(state.latest?.nodes, node.name));
  const step = useGraphRun((state) => state.latest?.tracedStep);
  const stepMillis = useGraphRun((state) => state.latest?.tracedStepMillis);
  const withSetUp = useGraphRun((state) => state.latest?.tracedStepRegisteredGraph ?? false);
  const stale = useBeforeEdit();
  if (!placed) return null;
  const share = stepMillis ? placed.durationMicros / 10 / stepMillis : undefined;
  const parts = [words.on({ device: shortDevice(placed.device) })];
  if (placed.together !== undefined && placed.together > 1)
    parts.push(words.together({ nodes: placed.together }));
  if (placed.outputBytes > 0) parts.push(words.output({ bytes: bytesText(placed.outputBytes) }));
  if (stepMillis !== undefined)
    parts.push((withSetUp ? words.wholeStepWithSetUp : words.wholeStep)({ time: durationText(stepMillis) }));
  return (
    <Section last stale={stale}>
      <SectionHeading>
        {words.heading}
        <span className={textStyles.grow} />
        <HeadingAside>
          {step === undefined
            ? ""
            : (stale ? words.tracedBeforeEdit : words.traced)({ step: stepText(step) })}
        </HeadingAside>
      </SectionHeading>
      <div className={styles.figure}>
        <b>{microsText(placed.durationMicros)}</b>
        {share === undefined || share > 100 ? null : (
          <span>{words.share({ share: share < 0.05 ? "<0.1" : digitsText(share, 1) })}</span>
        )}
      </div>
      <Note>{parts.join(" · ")}</Note>
    </Section>
  );
}
