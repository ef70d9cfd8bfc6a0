import type { ComponentProps, ReactElement } from "react";
import { classNames } from "../ui/class-names.js";
import styles from "./task-chip.module.css";

/** A task's colour and name, in a line of a table. */
export function TaskChip({ className, ...rest }: ComponentProps<"span">): ReactElement {
  return <span className={classNames(styles.chip, className)} {...rest} />;
}
