import type { ReactElement } from "react";
import type { RunState } from "../../../main/api/run-state.js";
import { texts } from "../../texts/texts.js";
import { Icon, type IconName } from "../../ui/icon.js";
import styles from "./run-state-text.module.css";

const words = texts.dock.runStateText;

const STATES: Readonly<Record<RunState, readonly [text: string, icon: IconName, look?: "done" | "bad"]>> = {
  preparing: [words.preparing, "unknown"],
  running: [words.running, "play"],
  paused: [words.paused, "pause"],
  stopping: [words.stopping, "pause"],
  done: [words.done, "check", "done"],
  stopped: [words.stopped, "stop"],
  failed: [words.failed, "close", "bad"],
};

/** The state of a run as a word with its icon. */
export function RunStateText({ state }: { readonly state: RunState }): ReactElement {
  const [text, icon, look] = STATES[state];
  return (
    <span className={styles.state}>
      <Icon
        name={icon}
        size={12}
        className={look === "done" ? styles.done : look === "bad" ? styles.bad : undefined}
      />
      {text}
    </span>
  );
}
