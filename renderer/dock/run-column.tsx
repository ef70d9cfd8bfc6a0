import type { ReactElement, ReactNode } from "react";
import { Icon } from "../ui/icon.js";
import styles from "./run-column.module.css";

interface RunColumnProps {
  readonly label: string;
  readonly children: ReactNode;
}

/** One of the columns that list what is run. */
export function RunColumn({ label, children }: RunColumnProps): ReactElement {
  return (
    <section className={styles.column} aria-label={label}>
      {children}
    </section>
  );
}

/** The reasons that prevent a run from computing what is expected. */
export function RunWarning({ children }: { readonly children: ReactNode }): ReactElement {
  return (
    <p className={styles.warning} role="status">
      <Icon name="warning" size={14} />
      <span>{children}</span>
    </p>
  );
}
