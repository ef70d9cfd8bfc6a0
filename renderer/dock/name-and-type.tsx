import type { ReactElement, ReactNode } from "react";
import { classNames } from "../ui/class-names.js";
import textStyles from "../ui/text.module.css";
import styles from "./name-and-type.module.css";

interface NameAndTypeProps {
  readonly type: string;
  /** The name, which may take several lines. */
  readonly children: ReactNode;
}

/** A whole name, and its type next to it or, where there is no room for that, below it. */
export function NameAndType({ type, children }: NameAndTypeProps): ReactElement {
  return (
    <span className={styles.both}>
      {children}
      <span className={classNames(textStyles.monospace, styles.type)}>{type}</span>
    </span>
  );
}
