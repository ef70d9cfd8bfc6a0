import type { ReactElement, ReactNode } from "react";
import { classNames } from "../ui/class-names.js";
import styles from "./property-row.module.css";

interface PropertyRowProps {
  /** More room for the name. */
  readonly wideName?: boolean;
  /** The name as a `span`, then its value or control. */
  readonly children: ReactNode;
}

/** A name with its value beside it. */
export function PropertyRow({ wideName, children }: PropertyRowProps): ReactElement {
  return <div className={classNames(styles.row, wideName && styles.wideName)}>{children}</div>;
}
