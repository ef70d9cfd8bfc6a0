import { type ReactElement, type ReactNode, useState } from "react";
import type { Problem } from "../../main/api/problem.js";
import { taskName } from "../cluster/task-name.js";
import { machinesOf, useCluster } from "../stores/cluster-store.js";
import { texts } from "../texts/texts.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import { CopyButton } from "../ui/copy-button.js";
import { Icon } from "../ui/icon.js";
import styles from "./problem-view.module.css";

const words = texts.parts.problemView;

interface ProblemViewProps {
  readonly problem: Problem;
  readonly kind?: "problem" | "notice" | "info";
  /** It has a row of its own: the buttons stand behind the text. */
  readonly inRow?: boolean;
  readonly className?: string | undefined;
  /** Buttons that help. */
  readonly children?: ReactNode;
}

const ICONS = { problem: "error", notice: "warning", info: "info" } as const;

/** A problem: what happened, why, and what to do, with the raw error under Details, which can be copied. */
export function ProblemView(props: ProblemViewProps): ReactElement {
  const { problem, kind = "problem", inRow, className, children } = props;
  const [open, setOpen] = useState(false);
  return (
    <div
      className={classNames(
        styles.problem,
        kind === "notice" && styles.notice,
        kind === "info" && styles.info,
        inRow && styles.inRow,
        className,
      )}
      role={kind === "problem" ? "alert" : "status"}
    >
      <Icon name={ICONS[kind]} />
      <div className={styles.text}>
        <b>{problem.message}</b> {problem.reason ? <span>{sentence(problem.reason)} </span> : null}
        {problem.remedy ? <span>{sentence(problem.remedy)}</span> : null}
        <div className={styles.buttons}>
          {children}
          {problem.details ? (
            <Button size="small" variant="ghost" aria-expanded={open} onClick={() => setOpen(!open)}>
              {open ? words.hideDetails : words.details}
            </Button>
          ) : null}
          {problem.details && open ? <CopyButton text={problemText(problem)} /> : null}
        </div>
        {problem.details && open ? (
          <pre className={styles.details}>{`${problem.code}\n${problem.details}`}</pre>
        ) : null}
      </div>
    </div>
  );
}

/** The problem, if a button beside it performs the remedy. */
export function withoutRemedy({ remedy: _, ...problem }: Problem): Problem {
  return problem;
}

/** How a program's own word begins, "tensorflow.errors.X", "a_1", "lib/x.so": it has no capital letter at the front. */
const PROGRAM_WORD = /^\S*[._/=(\d]\S/;

/** A reason as a sentence of its own. A name at its beginning keeps its spelling. */
function sentence(text: string): string {
  const { tasks } = useCluster.getState();
  const names = [...machinesOf(useCluster.getState()).map(({ name }) => name), ...tasks.map(taskName)];
  const named = names.some((name) => text.startsWith(name) && !/^\w/.test(text.slice(name.length)));
  const first = named || PROGRAM_WORD.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

/** Everything of a problem, to be pasted into a report. */
export function problemText(problem: Problem): string {
  const where = [problem.task, problem.node].filter(Boolean).join(", ");
  return [`${problem.code}: ${problem.message}`, where, problem.reason, problem.remedy, problem.details]
    .filter(Boolean)
    .join("\n");
}
