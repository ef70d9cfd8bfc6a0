import { Fragment, type ReactElement } from "react";
import type { RunSummary } from "../../../main/api/run-history.js";
import { recoveryCommands } from "../../commands/run-commands.js";
import { CommandButton } from "../../parts/command-button.js";
import { runHistoryActions } from "../../stores/run-history-store.js";
import { texts } from "../../texts/texts.js";
import { clockText, durationText, figureText, numberText } from "../../ui/format.js";
import { Icon } from "../../ui/icon.js";
import textStyles from "../../ui/text.module.css";
import { runName } from "../curves/curve-lines.js";
import { RunStateText } from "../curves/run-state-text.js";
import tableStyles from "../data-table.module.css";
import { ScrollRegion } from "../scroll-region.js";
import styles from "./run-list.module.css";

const words = texts.dock.runList;

interface RunListProps {
  /** The newest first. */
  readonly runs: readonly RunSummary[];
  /** Ids of those that are shown in detail. */
  readonly compared: readonly string[];
}

/** At most as many as the application keeps of a document. */
export function RunList({ runs, compared }: RunListProps): ReactElement {
  const [scalar] = runs.flatMap((run) => run.scalars).map(({ name }) => name);
  return (
    <ScrollRegion label={words.keptRuns}>
      <table className={tableStyles.table}>
        <thead>
          <tr>
            <th scope="col">{words.run}</th>
            <th scope="col">{words.configuration}</th>
            <th scope="col">{words.state}</th>
            <th scope="col" className={tableStyles.number}>
              {words.steps}
            </th>
            {scalar === undefined ? null : (
              <th scope="col" className={tableStyles.number}>
                {scalar.replace(/:0$/, "")}
              </th>
            )}
            <th scope="col" className={tableStyles.number}>
              {words.time}
            </th>
            <th scope="col">{words.started}</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => {
            const last = run.scalars.find(({ name }) => name === scalar)?.last;
            return (
              <Fragment key={run.runId}>
                <tr>
                  <td>
                    <label className={styles.choice}>
                      <input
                        type="checkbox"
                        checked={compared.includes(run.runId)}
                        onChange={() => runHistoryActions.toggle(compared, run.runId)}
                      />
                      {runName(run)}
                    </label>
                  </td>
                  <td className={textStyles.truncated}>{run.settings.configuration ?? "–"}</td>
                  <td>
                    <RunStateText state={run.state} />
                  </td>
                  <td className={tableStyles.number}>{numberText(run.step)}</td>
                  {scalar === undefined ? null : (
                    <td className={tableStyles.number}>{last === undefined ? "–" : figureText(last)}</td>
                  )}
                  <td className={tableStyles.number}>{durationText(run.elapsedMillis)}</td>
                  <td>{clockText(run.startedAt)}</td>
                </tr>
                <RecoveryRow run={run} columns={scalar === undefined ? 6 : 7} />
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

/** How a training that lost a task can go on, until it does or the offer is dismissed. */
function RecoveryRow({ run, columns }: { readonly run: RunSummary; readonly columns: number }) {
  const { recovery } = run;
  if (!recovery) return null;
  return (
    <tr>
      <td colSpan={columns}>
        <span className={styles.recovery}>
          <Icon name="warning" size={12} />
          {words.lost({ task: recovery.task, step: recovery.afterStep })}
          <CommandButton command={recoveryCommands.goOn} target={run} size="small" />
          <CommandButton command={recoveryCommands.dismiss} target={run} size="small" variant="ghost" />
        </span>
      </td>
    </tr>
  );
}
