import { type ReactElement, useMemo } from "react";
import type { RunSummary } from "../../../main/api/run-history.js";
import { useCurves } from "../../stores/curve-store.js";
import { useRunsOfDocument } from "../../stores/run-history-store.js";
import { useDocumentRun } from "../../stores/run-store.js";
import { texts } from "../../texts/texts.js";
import { Chart } from "../../ui/chart.js";
import { classNames } from "../../ui/class-names.js";
import { figureText, numberText, stepText } from "../../ui/format.js";
import textStyles from "../../ui/text.module.css";
import tableStyles from "../data-table.module.css";
import { ScrollRegion } from "../scroll-region.js";
import { linesOf } from "./curve-lines.js";
import { CurveTools } from "./curve-tools.js";
import styles from "./curves-view.module.css";
import { MetricsTable, RunsTable } from "./run-tables.js";
import { type CurvesData, useCurvesData } from "./use-curves-data.js";

const words = texts.dock.curvesView;

/** Scalars over the steps of the document's run, beside those of its other runs. */
export function CurvesView({ old }: { readonly old: boolean }): ReactElement {
  const shown = useDocumentRun((state) => state.latest?.runId);
  const { compared, hidden, asTable } = useCurves();
  const wanted = useMemo(
    () => [...(shown === undefined ? [] : [shown]), ...[...compared].filter((runId) => runId !== shown)],
    [shown, compared],
  );
  const all = useCurvesData(wanted);
  const runs = useRunsOfDocument(all.runs, shown);
  const data = useMemo(() => ({ ...all, runs }), [all, runs]);
  const run = data.runs.find(({ runId }) => runId === shown);
  const names = run?.scalars.map(({ name }) => name).filter((name) => !hidden.has(name)) ?? [];
  return (
    <div className={classNames(styles.view, old && styles.old)}>
      <div className={styles.main}>
        <CurveTools data={data} />
        {asTable ? (
          <CurveTable names={names} data={data} shown={shown} />
        ) : (
          <div className={styles.charts}>
            {names.map((name) => (
              <Curve key={name} name={name} run={run} data={data} />
            ))}
            {names.length === 0 ? <p className={textStyles.muted}>{words.nothingChosen}</p> : null}
          </div>
        )}
      </div>
      <div className={styles.tables}>
        <MetricsTable run={run} />
        <RunsTable runs={data.runs} shown={shown} names={names} />
      </div>
    </div>
  );
}

interface CurveProps {
  readonly name: string;
  readonly run: RunSummary | undefined;
  readonly data: CurvesData;
}

function Curve({ name, run, data }: CurveProps): ReactElement {
  const smoothing = useCurves((state) => state.smoothing);
  const logarithmic = useCurves((state) => state.logarithmic);
  const lines = useMemo(
    () => linesOf(name, run?.runId, data, smoothing),
    [name, run?.runId, data, smoothing],
  );
  const last = run?.scalars.find((scalar) => scalar.name === name)?.last;
  return (
    <section className={styles.curve} aria-label={words.curveName({ name })}>
      <h3 className={styles.head}>
        <span className={textStyles.truncated} title={name}>
          {name.replace(/:0$/, "")}
        </span>
        <b>{last === undefined ? "–" : figureText(last)}</b>
        <span className={textStyles.muted}>{run ? stepText(run.step) : ""}</span>
      </h3>
      <Chart label={words.chartOf({ name })} xName="step" logarithmic={logarithmic} {...lines} />
    </section>
  );
}

/** Rows of the table; more would be read by nobody, and are in the CSV file. */
const MOST_ROWS = 200;

function CurveTable({
  names,
  data,
  shown,
}: {
  readonly names: readonly string[];
  readonly data: CurvesData;
  readonly shown: string | undefined;
}): ReactElement {
  const curves = (shown === undefined ? undefined : data.curves.get(shown)) ?? [];
  const drawn = curves.filter(({ name }) => names.includes(name));
  const steps = drawn[0]?.steps ?? [];
  const every = Math.max(1, Math.ceil(steps.length / MOST_ROWS));
  const rows = steps
    .map((step, index) => ({ step, index }))
    .filter(({ index }) => (steps.length - 1 - index) % every === 0);
  return (
    <ScrollRegion label={words.chart}>
      {every > 1 ? <p className={textStyles.muted}>{words.sampled({ every })}</p> : null}
      <table className={tableStyles.table}>
        <thead>
          <tr>
            <th scope="col">{words.step}</th>
            {drawn.map(({ name }) => (
              <th key={name} scope="col" className={tableStyles.number}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ step, index }) => (
            <tr key={step}>
              <th scope="row">{numberText(step)}</th>
              {drawn.map(({ name, values }) => (
                <td key={name} className={tableStyles.number}>
                  {figureText(values[index] ?? Number.NaN, 6)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}
