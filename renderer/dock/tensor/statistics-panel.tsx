import { type ReactElement, useState } from "react";
import type { TensorStatistics } from "../../../main/api/tensors.js";
import { wholeOf } from "../../../worker-runtime/protocol/selection.js";
import type { TensorView } from "../../stores/tensor-tabs.js";
import { texts } from "../../texts/texts.js";
import { Segmented } from "../../ui/segmented.js";
import textStyles from "../../ui/text.module.css";
import { Histogram } from "./histogram.js";
import styles from "./statistics-panel.module.css";
import type { TensorSource } from "./tensor-source.js";
import { useTensorWork, type WorkState } from "./use-tensor-work.js";
import { WorkNote } from "./work-note.js";

const words = texts.dock.statisticsPanel;

const BINS = 33;
const SCOPES = [
  { id: "slice", label: words.slice },
  { id: "tensor", label: words.tensor },
] as const;

/** Figures of a part of a tensor, or of all of it. */
export function useStatistics(
  source: TensorSource,
  view: Pick<TensorView, "selection">,
  wanted: boolean,
): WorkState<TensorStatistics> {
  const params = { tensor: source.address, selection: [...view.selection], bins: BINS };
  return useTensorWork("tensors.statistics", wanted ? params : undefined, source.step);
}

interface StatisticsPanelProps {
  readonly source: TensorSource;
  readonly view: TensorView;
  /** The statistics of the part. */
  readonly ofPart: WorkState<TensorStatistics>;
  readonly large?: boolean;
  readonly old: boolean;
}

export function StatisticsPanel({ source, view, ofPart, large, old }: StatisticsPanelProps): ReactElement {
  const [scope, setScope] = useState<"slice" | "tensor">("slice");
  const isPart = JSON.stringify(view.selection) !== JSON.stringify(wholeOf(source.shape));
  const whole = useStatistics(source, { selection: wholeOf(source.shape) }, scope === "tensor" && isPart);
  const work = scope === "tensor" && isPart ? whole : ofPart;
  return (
    <section className={styles.panel} aria-label={words.histogramAndFigures}>
      <div className={styles.head}>
        <b>{words.histogram}</b>
        <span className={textStyles.grow} />
        {isPart ? (
          <Segmented
            size="compact"
            label={words.histogramOf}
            options={SCOPES}
            selected={scope}
            onSelect={(id) => setScope(id)}
          />
        ) : null}
      </div>
      {work.result ? <Histogram statistics={work.result} old={old} {...(large ? { large } : {})} /> : null}
      <WorkNote work={work} />
    </section>
  );
}
