/** The recoveries of a training that lost a task, done or offered. */
import type { ReactElement } from "react";
import type { RunUpdate } from "../../../main/api/runs.js";
import { recoveryCommands } from "../../commands/run-commands.js";
import { CommandButton } from "../../parts/command-button.js";
import { texts } from "../../texts/texts.js";
import { listText } from "../../ui/format.js";
import { Icon } from "../../ui/icon.js";
import textStyles from "../../ui/text.module.css";
import styles from "./training-tab.module.css";

const words = texts.dock.recoveries;

export function Recoveries({ run }: { readonly run: RunUpdate }): ReactElement | null {
  const { recovery } = run;
  const newest = run.recoveries?.at(-1);
  const count = run.recoveries?.length ?? 0;
  if (recovery) {
    return (
      <p className={styles.notice} role="status">
        <Icon name="warning" />
        <span className={textStyles.grow}>
          <b>{words.lost({ task: recovery.task, step: recovery.afterStep })}</b> {words.stopped}
        </span>
        <CommandButton command={recoveryCommands.goOn} target={run} size="small" />
        <CommandButton command={recoveryCommands.dismiss} target={run} size="small" variant="ghost" />
      </p>
    );
  }
  if (!newest) return null;
  const { task, afterStep, checkpointStep, damaged } = newest;
  return (
    <p className={styles.notice} role="status">
      <Icon name="warning" />
      <span>
        <b>{words.lost({ task, step: afterStep })}</b> {words.wentOn({ step: checkpointStep })}{" "}
        {damaged.length > 0 ? words.damaged({ names: listText(damaged), count: damaged.length }) : null}{" "}
        {count > 1 ? words.times({ count }) : null}
      </span>
    </p>
  );
}
