import type { ReactElement } from "react";
import type { RunState } from "../../../main/api/run-state.js";
import { Icon, type IconName } from "../../ui/icon.js";
import styles from "./run-state-text.module.css";

const STATES: Readonly<Record<RunState, readonly [text: string, icon: IconName, look?: "done" | "bad"]>> = {
  preparing: ["preparing", "unknown"],
  running: ["running", "play"],
  paused: ["paused", "pause"],
  stopping: ["stopping", "pause"],
  done: ["done", "check", "done"],
  stopped: ["stopped", "stop"],
  failed: ["failed", "close", "bad"],
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
