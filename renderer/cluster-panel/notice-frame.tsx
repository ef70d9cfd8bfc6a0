import type { ComponentProps, ReactElement } from "react";
import { classNames } from "../ui/class-names.js";
import styles from "./notice-frame.module.css";

const PLACES = { task: styles.task, machine: styles.machine, cluster: styles.cluster } as const;

export interface NoticeFrameProps extends ComponentProps<"div"> {
  /** Its subject, which determines its position. */
  readonly at: keyof typeof PLACES;
  /** notice: it stops nothing. */
  readonly kind?: "problem" | "notice";
}

/** The frame of a notice about a task, a machine or the cluster. */
export function NoticeFrame({ at, kind = "notice", className, ...rest }: NoticeFrameProps): ReactElement {
  return (
    <div
      className={classNames(styles.frame, PLACES[at], kind === "problem" && styles.problem, className)}
      {...rest}
    />
  );
}
