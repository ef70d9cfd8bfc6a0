import type { ReactElement } from "react";
import type { ScriptJob, ScriptProgress } from "../../../main/api/scripts.js";
import { forgetScript, startScript, stopScript } from "../../actions/script-actions.js";
import { ProblemView } from "../../parts/problem-view.js";
import { attempt } from "../../stores/app-store.js";
import { isGoing, useScripts } from "../../stores/script-store.js";
import { uiActions } from "../../stores/ui-store.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { classNames } from "../../ui/class-names.js";
import { clockText, minutesText } from "../../ui/format.js";
import textStyles from "../../ui/text.module.css";
import { SelectInput } from "../../ui/text-input.js";
import { useNow } from "../../ui/use-now.js";
import styles from "./scripts-tab.module.css";

const words = texts.dock.scriptHead;

interface ScriptHeadProps {
  readonly job: ScriptJob;
  onTask(task: string): void;
}

/** Which job is shown, how far it is, why it failed, and what can be done about it. */
export function ScriptHead({ job, onTask }: ScriptHeadProps): ReactElement {
  const { problem, request, restartsLeft } = job;
  const jobs = useScripts((state) => state.jobs);
  const goes = isGoing(job);
  const now = useNow(goes);
  const elapsed = (job.endedAt ?? now) - (job.runningSince ?? job.startedAt);
  return (
    <>
      <header className={styles.head}>
        <SelectInput
          aria-label={words.job}
          className={styles.jobs}
          value={job.id}
          onChange={({ target }) => useScripts.setState({ chosen: target.value })}
        >
          {jobs.map((choice) => (
            <option key={choice.id} value={choice.id}>
              {words.option({
                ...{ script: choice.script, state: words.states[choice.state] },
                time: clockText(choice.startedAt),
              })}
            </option>
          ))}
        </SelectInput>
        <Progress job={job} />
        <span className={classNames(textStyles.muted, styles.rule)}>
          {request.restarts > 0 ? words.restarts({ left: restartsLeft }) : words.stopsAll}
        </span>
        <span>
          <b>{minutesText(elapsed)}</b> <span className={textStyles.muted}>{words.elapsed}</span>
        </span>
        {goes ? (
          <Button icon="stop" variant="strong" onClick={() => attempt(() => stopScript(job))}>
            {job.state === "ending" ? words.stopNow : words.stop}
          </Button>
        ) : (
          <EndedActions job={job} />
        )}
      </header>
      {problem ? (
        <ProblemView problem={problem} className={styles.problem}>
          {problem.task === undefined ? null : (
            <Button size="small" onClick={() => onTask(problem.task ?? "")}>
              {words.logOf({ task: problem.task })}
            </Button>
          )}
        </ProblemView>
      ) : null}
    </>
  );
}

/** The commands of a job that has ended. */
function EndedActions({ job }: { readonly job: ScriptJob }): ReactElement {
  const { request } = job;
  return (
    <>
      <Button icon="refresh" onClick={() => attempt(() => startScript(request))}>
        {words.again}
      </Button>
      <Button onClick={() => uiActions.open({ kind: "script", path: request.path, request })}>
        {words.change}
      </Button>
      <Button variant="ghost" icon="trash" onClick={() => attempt(() => forgetScript(job))}>
        {words.forget}
      </Button>
    </>
  );
}

/** How far the task is that says the most of it. */
function Progress({ job }: { readonly job: ScriptJob }): ReactElement {
  const progress = job.tasks.find((task) => task.progress !== undefined)?.progress;
  const state = words.states[job.state];
  if (!progress) return <span className={textStyles.grow}>{state}</span>;
  const { done, total } = progress;
  const text = progressText(progress);
  return (
    <div
      className={styles.progress}
      role="progressbar"
      aria-label={words.progress}
      aria-valuemin={0}
      aria-valuenow={done}
      aria-valuetext={text}
      {...(total === undefined ? {} : { "aria-valuemax": total })}
    >
      <span>
        <b>{text}</b> <span className={textStyles.muted}>{state}</span>
      </span>
      {total === undefined ? null : (
        <i>
          <u style={{ width: `${Math.min(100, (100 * done) / Math.max(1, total))}%` }} />
        </i>
      )}
    </div>
  );
}

/** "epoch 5 of 12" */
export function progressText({ unit, done, total }: ScriptProgress): string {
  if (total === undefined) return unit === "epoch" ? words.epoch({ done }) : words.step({ done });
  return unit === "epoch" ? words.epochs({ done, total }) : words.steps({ done, total });
}
