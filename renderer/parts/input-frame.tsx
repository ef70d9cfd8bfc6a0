import type { ReactElement, ReactNode } from "react";
import { classNames } from "../ui/class-names.js";
import { Icon } from "../ui/icon.js";
import styles from "./input-frame.module.css";

interface InputFrameProps {
  readonly monospace?: boolean;
  readonly invalid?: boolean;
  /** An `input` or `textarea`. */
  readonly children: ReactNode;
}

/** The frame of a field in a panel. */
export function InputFrame({ monospace, invalid, children }: InputFrameProps): ReactElement {
  return (
    <span className={classNames(styles.frame, monospace && styles.monospace, invalid && styles.invalid)}>
      {children}
    </span>
  );
}

interface SelectFrameProps {
  readonly monospace?: boolean;
  /** A `select`, and the content before it. */
  readonly children: ReactNode;
}

/** The frame of a choice in a panel. */
export function SelectFrame({ monospace, children }: SelectFrameProps): ReactElement {
  return (
    <span className={classNames(styles.frame, styles.choice, monospace && styles.monospace)}>
      {children}
      <Icon name="chevron-down" />
    </span>
  );
}
