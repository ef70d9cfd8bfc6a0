import type { ReactElement } from "react";
import { isStriped, taskColourVar } from "../theme/task-colour.js";
import { classNames } from "./class-names.js";
import styles from "./swatch.module.css";

interface SwatchProps {
  readonly task: { readonly colour: number } | undefined;
  readonly small?: boolean;
}

/** The square of a task's colour; dashed where the task does not exist. */
export function Swatch({ task, small = false }: SwatchProps): ReactElement {
  return (
    <i
      className={classNames(
        styles.swatch,
        small && styles.small,
        task === undefined ? styles.hollow : isStriped(task) && styles.striped,
      )}
      style={{ "--c": taskColourVar(task) }}
      aria-hidden="true"
    />
  );
}
