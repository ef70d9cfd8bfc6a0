import { type ReactElement, useMemo } from "react";
import { openTensorOfRun } from "../../actions/tensor-actions.js";
import { useSliced } from "../../parts/use-sliced.js";
import { attempt } from "../../stores/app-store.js";
import { texts } from "../../texts/texts.js";
import { Chart } from "../../ui/chart.js";
import { classNames } from "../../ui/class-names.js";
import { Tag } from "../../ui/tag.js";
import textStyles from "../../ui/text.module.css";
import { TextButton } from "../../ui/text-button.js";
import { linesOf, runName } from "../curves/curve-lines.js";
import type { CurvesData } from "../curves/use-curves-data.js";
import tableStyles from "../data-table.module.css";
import { ScrollRegion } from "../scroll-region.js";
import {
  type ComparisonRow,
  outcomeRows,
  type ShownRun,
  settingRows,
  slicedTraceRows,
  valueRows,
} from "./comparison.js";
import styles from "./run-comparison.module.css";

const words = texts.dock.runComparison;

interface RunComparisonProps {
  readonly shown: readonly ShownRun[];
  readonly data: CurvesData;
}

/** The facts of one run, or of two side by side; rows that differ are marked. */
export function RunComparison({ shown, data }: RunComparisonProps): ReactElement {
  const slowest = useSliced({
    size: shown.reduce((sum, { update }) => sum + update.nodes.length, 0),
    work: () => slicedTraceRows(shown),
    of: [shown],
    subject: undefined,
  });
  const sections = useMemo(
    () =>
      [
        [words.settings, settingRows(shown)],
        [words.outcome, outcomeRows(shown)],
        [words.values, valueRows(shown)],
        [words.slowest, slowest ?? []],
      ] as const,
    [shown, slowest],
  );
  return (
    <ScrollRegion label={words.chosenRuns}>
      {shown.length === 0 ? <p className={styles.hint}>{words.nothingChosen}</p> : null}
      {shown.length === 0 ? null : (
        <table className={classNames(tableStyles.table, styles.table)}>
          <thead>
            <tr>
              <th scope="col">
                <span className={textStyles.spokenOnly}>{words.subject}</span>
              </th>
              {shown.map(({ summary }) => (
                <th key={summary.runId} scope="col">
                  {runName(summary)}
                </th>
              ))}
            </tr>
          </thead>
          {sections.map(([title, rows]) =>
            rows.length === 0 ? null : <Rows key={title} title={title} rows={rows} shown={shown} />,
          )}
        </table>
      )}
      <Curves shown={shown} data={data} />
    </ScrollRegion>
  );
}

interface RowsProps {
  readonly title: string;
  readonly rows: readonly ComparisonRow[];
  readonly shown: readonly ShownRun[];
}

function Rows({ title, rows, shown }: RowsProps): ReactElement {
  return (
    <tbody>
      <tr className={styles.heading}>
        <th scope="rowgroup" colSpan={shown.length + 1}>
          {title}
        </th>
      </tr>
      {rows.map(({ name, texts, differs, tensor }) => (
        <tr key={name}>
          <th scope="row">
            <span className={styles.name}>
              {name}
              {differs ? <Tag>{words.differs}</Tag> : null}
            </span>
          </th>
          {texts.map((text, index) => {
            const run = shown[index]?.summary;
            return (
              <td key={run?.runId ?? "none"} className={styles.text} title={text}>
                {run && tensor !== undefined && text !== undefined ? (
                  <TextButton
                    className={styles.value}
                    title={words.openWhole({ tensor, run: runName(run) })}
                    onClick={() => attempt(() => openTensorOfRun(run.runId, runName(run), tensor))}
                  >
                    {text}
                  </TextButton>
                ) : (
                  (text ?? "–")
                )}
              </td>
            );
          })}
        </tr>
      ))}
    </tbody>
  );
}

/** Scalars by step: of the newer run, and dashed those of the other. */
function Curves({ shown, data }: RunComparisonProps): ReactElement | null {
  const main = shown[0]?.summary;
  const chosen = new Map(
    shown.flatMap(({ summary: { runId } }) => {
      const curves = data.curves.get(runId);
      return curves ? [[runId, curves] as const] : [];
    }),
  );
  const names = [
    ...new Set([...chosen.values()].flat().flatMap(({ name, steps }) => (steps.length > 1 ? name : []))),
  ];
  if (main === undefined || names.length === 0) return null;
  return (
    <div className={styles.curves}>
      {names.map((name) => (
        <section key={name} className={styles.curve} aria-label={words.curve({ name })}>
          <h3>{name.replace(/:0$/, "")}</h3>
          <Chart
            label={words.chartOf({ name })}
            xName="step"
            {...linesOf(name, main.runId, { runs: data.runs, curves: chosen }, 0)}
          />
        </section>
      ))}
    </div>
  );
}
