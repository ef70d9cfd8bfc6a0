import type { ReactElement } from "react";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import textStyles from "../../ui/text.module.css";
import type { WorkState } from "./use-tensor-work.js";
import styles from "./work-note.module.css";

const words = texts.dock.workNote;

/** How far long work is, with a way to end it, or why there is no result. */
export function WorkNote({ work }: { readonly work: WorkState<unknown> }): ReactElement | null {
  const { done, problem, cancel } = work;
  if (done !== undefined) {
    return (
      <div className={styles.note}>
        <progress value={done} aria-label={words.computing} />
        <span className={textStyles.muted}>{Math.round(done * 100)}%</span>
        <Button size="small" onClick={cancel}>
          {texts.common.cancel}
        </Button>
      </div>
    );
  }
  if (problem === undefined) return null;
  return (
    <p className={problem.code === "CANCELLED" ? textStyles.muted : textStyles.error} role="status">
      {problem.code === "CANCELLED" ? words.cancelled : problem.message}
      {problem.code !== "CANCELLED" && problem.reason ? ` ${problem.reason}` : ""}
    </p>
  );
}
