import type { ReactElement } from "react";
import type { RunUpdate } from "../../../main/api/runs.js";
import { MOST_STALE, type TrainingFigures } from "../../../main/api/training.js";
import { activeRunCommands } from "../../commands/run-commands.js";
import { taskCommands } from "../../commands/task-commands.js";
import { parseTensorName } from "../../document/tensor-names.js";
import { CommandButton } from "../../parts/command-button.js";
import { useCluster } from "../../stores/cluster-store.js";
import { useDocument } from "../../stores/document-store.js";
import { isActive, useDocumentRun } from "../../stores/run-store.js";
import { texts } from "../../texts/texts.js";
import { classNames } from "../../ui/class-names.js";
import { EmptyText } from "../../ui/empty-text.js";
import { digitsText, durationText, figureText, listText, minutesText } from "../../ui/format.js";
import { Icon } from "../../ui/icon.js";
import { Swatch } from "../../ui/swatch.js";
import { Tag } from "../../ui/tag.js";
import textStyles from "../../ui/text.module.css";
import tableStyles from "../data-table.module.css";
import { ScrollRegion } from "../scroll-region.js";
import { TabBar } from "../tab-bar.js";
import { TaskChip } from "../task-chip.js";
import { Checkpoints } from "./checkpoints.js";
import { Recoveries } from "./recoveries.js";
import styles from "./training-tab.module.css";

const words = texts.dock.trainingTab;

/** How far the training is, what each worker does, and how old gradients are when they are applied. */
export default function TrainingTab(): ReactElement {
  const run = useDocumentRun((state) => state.latest);
  if (!run) return <EmptyText>{words.notRun}</EmptyText>;
  return (
    <>
      <Progress run={run} />
      <ScrollRegion label={words.details}>
        <Recoveries run={run} />
        {run.training ? (
          <Workers {...run.training} run={run} />
        ) : (
          <p className={classNames(textStyles.muted, styles.note)}>{words.oneClient}</p>
        )}
        {run.evaluation ? (
          <p className={styles.note} role="status">
            {words.evaluated({
              step: run.evaluation.step,
              values: listText(
                run.evaluation.values.map(({ name, value }) => `${name} ${figureText(value)}`),
              ),
            })}
          </p>
        ) : null}
        <Checkpoints run={run} />
        {run.training?.staleness.length ? <Staleness counts={run.training.staleness} /> : null}
      </ScrollRegion>
    </>
  );
}

function Progress({ run }: { readonly run: RunUpdate }): ReactElement {
  const { step, steps, elapsedMillis, state } = run;
  const left = step === 0 ? undefined : (elapsedMillis / step) * (steps - step);
  const perStep = useExamplesPerStep(run);
  const batchesPerSecond =
    rateOfWorkers(run) ?? (elapsedMillis === 0 ? undefined : (1000 * step) / elapsedMillis);
  const perSecond =
    perStep === undefined || batchesPerSecond === undefined ? undefined : perStep * batchesPerSecond;
  return (
    <TabBar>
      <b>{words.step({ step, steps })}</b>
      <progress className={styles.progress} value={step} max={steps} aria-label={words.progress} />
      {perSecond === undefined ? null : (
        <span className={textStyles.muted}>
          {words.examplesPerSecond({ rate: digitsText(perSecond, 0) })}
        </span>
      )}
      {left === undefined || !isActive(run) ? null : (
        <span className={textStyles.muted}>{words.left({ time: minutesText(left) })}</span>
      )}
      {state === "paused" ? <span className={textStyles.muted}>{words.paused}</span> : null}
      <span className={textStyles.grow} />
      {isActive(run) ? <CommandButton command={activeRunCommands.pause} target={run} icon /> : null}
      {isActive(run) ? <CommandButton command={activeRunCommands.stop} target={run} icon /> : null}
    </TabBar>
  );
}

/** Batches of all workers in a second, from the same step times as the table has; undefined without any. */
function rateOfWorkers({ training }: RunUpdate): number | undefined {
  const rates = (training?.workers ?? []).flatMap(({ stepMillis, lostAtStep }) =>
    lostAtStep === undefined && stepMillis ? [1000 / stepMillis] : [],
  );
  return rates.length === 0 ? undefined : rates.reduce((sum, rate) => sum + rate, 0);
}

/** As the run was fed; else as many rows as the tensor has that holds the examples. */
function useExamplesPerStep({ examplesPerStep }: RunUpdate): number | undefined {
  const rows = useDocument(({ document, shapes }) => {
    const { examples } = document.runConfig.training ?? {};
    if (examples === undefined) return undefined;
    const { node, output } = parseTensorName(examples);
    return shapes.outputs.get(node)?.[output]?.[0];
  });
  return examplesPerStep ?? (rows === undefined || rows < 0 ? undefined : rows);
}

function Workers({ workers, run }: TrainingFigures & { readonly run: RunUpdate }): ReactElement {
  const tasks = useCluster((state) => state.tasks);
  const taskNamed = (name: string) => tasks.find(({ job, index }) => `${job}/${index}` === name);
  const perStep = useExamplesPerStep(run);
  const lost = workers.filter(({ lostAtStep }) => lostAtStep !== undefined);
  return (
    <>
      {lost.map(({ name, lostAtStep = 0 }) => {
        const task = taskNamed(name);
        return (
          <p key={name} className={styles.notice} role="status">
            <Icon name="warning" />
            <span className={textStyles.grow}>
              <b>{words.lost({ name, step: lostAtStep })}</b> {isActive(run) ? words.goesOn : null}
            </span>
            {task && isActive(run) ? (
              <CommandButton command={taskCommands.start} target={task} size="small" spoken="named" />
            ) : null}
          </p>
        );
      })}
      <table className={tableStyles.table} aria-label={words.workers}>
        <thead>
          <tr>
            <th scope="col">{words.task}</th>
            {[
              words.steps,
              words.stepsPerSecond,
              ...(perStep === undefined ? [] : [words.examplesRate]),
              words.stepTime,
              words.behind,
              words.waiting,
            ].map((head) => (
              <th key={head} scope="col" className={tableStyles.number}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {workers.map(({ name, steps, behind, stepMillis, waitingShare, lostAtStep, returns }) => {
            const isLost = lostAtStep !== undefined;
            const shown = isLost ? undefined : stepMillis;
            return (
              <tr key={name}>
                <td>
                  <TaskChip>
                    <Swatch task={taskNamed(name)} small />
                    {name}
                  </TaskChip>
                  {returns && !isLost ? <Tag>{words.returned({ count: returns })}</Tag> : null}
                </td>
                <td className={tableStyles.number}>{digitsText(steps, 0)}</td>
                <td className={tableStyles.number}>{shown ? digitsText(1000 / shown, 1) : "–"}</td>
                {perStep === undefined ? null : (
                  <td className={tableStyles.number}>
                    {shown ? digitsText((1000 * perStep) / shown, 0) : "–"}
                  </td>
                )}
                <td className={tableStyles.number}>{shown ? durationText(shown) : "–"}</td>
                <td className={classNames(tableStyles.number, isLost && textStyles.error)}>
                  {isLost ? words.lostAt({ step: lostAtStep }) : digitsText(behind, 0)}
                </td>
                <td className={tableStyles.number}>
                  {isLost || waitingShare === undefined ? "–" : words.percent({ share: waitingShare })}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </>
  );
}

/** How many updates of others came between the reading of the variables and the update by what was read. */
function Staleness({ counts }: { readonly counts: readonly number[] }): ReactElement {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const worst = counts.length - 1;
  const mean = counts.reduce((sum, count, steps) => sum + count * steps, 0) / Math.max(total, 1);
  return (
    <section className={styles.staleness}>
      <h3>{words.staleness}</h3>
      <p className={textStyles.muted}>
        {words.stalenessOf({
          count: total,
          mean: digitsText(mean, 1),
          worst: worst === MOST_STALE ? words.orMore({ steps: worst }) : digitsText(worst, 0),
        })}
      </p>
      <ul>
        {counts.map((count, steps) => (
          <li key={words.old({ steps })}>
            <span>{steps === MOST_STALE ? words.veryOld({ steps }) : words.old({ steps })}</span>
            <span className={styles.bar}>
              <span style={{ width: `${(100 * count) / Math.max(total, 1)}%` }} />
            </span>
            <b>{words.percent({ share: count / Math.max(total, 1) })}</b>
          </li>
        ))}
      </ul>
    </section>
  );
}
