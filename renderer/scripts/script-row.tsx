import type { ReactElement, ReactNode } from "react";
import styles from "./script-dialog.module.css";

/** A part of the dialog beside its name. */
export function ScriptRow({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ReactNode;
}): ReactElement {
  return (
    <section className={styles.row} aria-label={label}>
      <h3 className={styles.label}>{label}</h3>
      <div className={styles.content}>{children}</div>
    </section>
  );
}
