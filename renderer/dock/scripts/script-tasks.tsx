import type { ReactElement } from "react";
import type { ScriptJob, ScriptTaskState } from "../../../main/api/scripts.js";
import { texts } from "../../texts/texts.js";
import { classNames } from "../../ui/class-names.js";
import { CopyButton } from "../../ui/copy-button.js";
import { bytesText, digitsText } from "../../ui/format.js";
import { StatusDot, type StatusDotKind } from "../../ui/status-dot.js";
import { Swatch } from "../../ui/swatch.js";
import textStyles from "../../ui/text.module.css";
import { ScrollRegion } from "../scroll-region.js";
import { progressText } from "./script-head.js";
import styles from "./script-tasks.module.css";

const words = texts.dock.scriptTasks;

interface ScriptTasksProps {
  readonly job: ScriptJob;
  /** The task whose lines alone are shown. */
  readonly selected: string | undefined;
  onSelect(task: string | undefined): void;
}

/** The tasks of a job, its machines, and what came back from them. */
export function ScriptTasks({ job, selected, onSelect }: ScriptTasksProps): ReactElement {
  const running = job.tasks.filter(({ state }) => state === "running").length;
  return (
    <div className={styles.tasks}>
      <ScrollRegion label={texts.dock.scriptsTab.tasks}>
        <h3 className={styles.title}>
          {texts.dock.scriptsTab.tasks}
          <span className={textStyles.muted}>{words.running({ running, all: job.tasks.length })}</span>
        </h3>
        {job.tasks.map((task, colour) => (
          <button
            key={task.name}
            type="button"
            className={classNames(styles.task, task.name === selected && styles.selected)}
            aria-pressed={task.name === selected}
            onClick={() => onSelect(task.name === selected ? undefined : task.name)}
          >
            <Task task={task} colour={colour} />
          </button>
        ))}
        <h3 className={styles.title}>{words.machines}</h3>
        {job.machines.map(({ name, ready, progress }) => (
          <p key={name} className={styles.machine}>
            <StatusDot kind={ready ? "ok" : "ring"} />
            <b>{name}</b>
            <span className={classNames(textStyles.muted, textStyles.truncated)} title={progress}>
              {ready ? words.ready : (progress ?? words.preparing)}
            </span>
          </p>
        ))}
        {job.sent ? (
          <p className={styles.note}>
            {words.sent({ count: job.sent.files, bytes: bytesText(job.sent.bytes) })}
          </p>
        ) : null}
        <h3 className={styles.title}>{words.made}</h3>
        {job.collected.map(({ machine, folder, files, bytes, leftOut }) => (
          <div key={machine} className={styles.note}>
            <p>{words.back({ count: files, bytes: bytesText(bytes), machine })}</p>
            {files > 0 ? (
              <p className={styles.folder}>
                <code title={folder}>{folder}</code>
                <CopyButton text={folder} label={words.copyFolder} />
              </p>
            ) : null}
            {leftOut.length > 0 ? <p>{words.leftOut({ names: leftOut.join(", ") })}</p> : null}
          </div>
        ))}
        <p className={styles.note}>{words.here}</p>
      </ScrollRegion>
    </div>
  );
}

const DOTS: Readonly<Record<ScriptTaskState["state"], StatusDotKind>> = {
  ...{ waiting: "ring", running: "ok", ended: "off" },
  ...{ failed: "error", stopped: "off" },
};

function Task({ task, colour }: { readonly task: ScriptTaskState; readonly colour: number }): ReactElement {
  const { name, machine, device, state, exit, starts, progress, load } = task;
  const where = device === undefined ? [] : [deviceText(device)];
  const facts = [
    ...(load
      ? [words.load({ percent: digitsText(load.cpuPercent, 0), bytes: bytesText(load.memoryBytes) })]
      : []),
    ...(progress ? [progressText(progress)] : []),
    ...(starts > 1 ? [words.starts({ count: starts })] : []),
    ...(exit !== undefined && state !== "ended" ? [exit] : []),
  ];
  return (
    <>
      <span className={styles.line}>
        <Swatch task={{ colour }} />
        <b>{name}</b>
        <span className={textStyles.grow} />
        <StatusDot kind={DOTS[state]} />
        {words.states[state]}
      </span>
      <span className={styles.where}>{[machine, ...where, ...facts].join(", ")}</span>
    </>
  );
}

function deviceText(device: "cpu" | number): string {
  return device === "cpu" ? words.device.cpu : words.device.gpu({ index: String(device) });
}
