import type { ReactElement } from "react";
import type { RunSummary, ScalarSummary } from "../../../main/api/run-history.js";
import { curveActions, useCurves } from "../../stores/curve-store.js";
import { texts } from "../../texts/texts.js";
import { classNames } from "../../ui/class-names.js";
import { durationText, figureText, numberText } from "../../ui/format.js";
import textStyles from "../../ui/text.module.css";
import tableStyles from "../data-table.module.css";
import { runName } from "./curve-lines.js";
import { RunStateText } from "./run-state-text.js";
import styles from "./run-tables.module.css";

const words = texts.dock.runTables;

/** Every scalar of the shown run; the check boxes choose which are drawn. */
export function MetricsTable({ run }: { readonly run: RunSummary | undefined }): ReactElement {
  const hidden = useCurves((state) => state.hidden);
  return (
    <section className={styles.part} aria-label={words.scalars}>
      <h3 className={styles.heading}>
        {words.scalarsCaption({ muted: (children) => <span className={textStyles.muted}>{children}</span> })}
      </h3>
      <table className={classNames(tableStyles.table, styles.table)}>
        <thead>
          <tr>
            <th scope="col">{words.scalar}</th>
            <th scope="col" className={tableStyles.number}>
              {words.last}
            </th>
            <th scope="col" className={tableStyles.number}>
              {words.lowest}
            </th>
            <th scope="col" className={tableStyles.number}>
              {words.highest}
            </th>
          </tr>
        </thead>
        <tbody>
          {run?.scalars.map(({ name, last, lowest, highest, notFinite }) => (
            <tr key={name}>
              <td>
                <label className={styles.choice}>
                  <input
                    type="checkbox"
                    checked={!hidden.has(name)}
                    onChange={() => curveActions.toggleScalar(name)}
                  />
                  <span className={textStyles.truncated}>{name}</span>
                </label>
              </td>
              <Value
                value={last}
                title={notFinite > 0 ? words.notFinite({ count: notFinite }) : undefined}
                strong
              />
              <Extreme extreme={lowest} />
              <Extreme extreme={highest} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A value and its step. */
function Extreme({ extreme }: { readonly extreme: ScalarSummary["lowest"] }): ReactElement {
  if (extreme === undefined) return <td className={tableStyles.number}>–</td>;
  return (
    <td className={tableStyles.number}>
      {figureText(extreme.value, 3)}{" "}
      <span className={textStyles.muted}>{words.atStep({ step: extreme.step })}</span>
    </td>
  );
}

interface ValueProps {
  readonly value: number | undefined;
  readonly title?: string | undefined;
  readonly strong?: boolean;
}

function Value({ value, title, strong }: ValueProps): ReactElement {
  const bad = value !== undefined && !Number.isFinite(value);
  return (
    <td className={classNames(tableStyles.number, bad && styles.bad)} title={title}>
      {strong ? (
        <b>{value === undefined ? "–" : figureText(value)}</b>
      ) : value === undefined ? (
        "–"
      ) : (
        figureText(value)
      )}
    </td>
  );
}

interface RunsTableProps {
  readonly runs: readonly RunSummary[];
  readonly shown: string | undefined;
  /** The scalars that are drawn; the first ones have a column. */
  readonly names: readonly string[];
}

const SCALAR_COLUMNS = 2;

/** The kept runs; the check boxes choose which the shown one is compared with. */
export function RunsTable({ runs, shown, names }: RunsTableProps): ReactElement {
  const compared = useCurves((state) => state.compared);
  const columns = names.slice(0, SCALAR_COLUMNS);
  return (
    <section className={styles.part} aria-label={words.runs}>
      <h3 className={styles.heading}>
        {words.runsCaption({
          count: runs.length,
          muted: (children) => <span className={textStyles.muted}>{children}</span>,
        })}
      </h3>
      <table className={classNames(tableStyles.table, styles.table)}>
        <thead>
          <tr>
            <th scope="col">{words.run}</th>
            <th scope="col">{words.state}</th>
            <th scope="col" className={tableStyles.number}>
              {words.steps}
            </th>
            {columns.map((name) => (
              <th key={name} scope="col" className={tableStyles.number}>
                {name.replace(/:0$/, "")}
              </th>
            ))}
            <th scope="col" className={tableStyles.number}>
              {words.time}
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => {
            const isShown = run.runId === shown;
            return (
              <tr
                key={run.runId}
                aria-current={isShown ? "true" : undefined}
                className={isShown ? styles.shown : undefined}
              >
                <td>
                  <label className={styles.choice} title={run.origin?.document}>
                    <input
                      type="checkbox"
                      checked={isShown || compared.has(run.runId)}
                      disabled={isShown}
                      onChange={() => curveActions.toggleCompared(run.runId)}
                    />
                    <i
                      className={
                        isShown ? styles.solid : compared.has(run.runId) ? styles.dashed : styles.none
                      }
                    />
                    {runName(run)}
                  </label>
                </td>
                <td>
                  <RunStateText state={run.state} />
                </td>
                <td className={tableStyles.number}>{numberText(run.step)}</td>
                {columns.map((name) => (
                  <Value key={name} value={run.scalars.find((scalar) => scalar.name === name)?.last} />
                ))}
                <td className={tableStyles.number}>{durationText(run.elapsedMillis)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
