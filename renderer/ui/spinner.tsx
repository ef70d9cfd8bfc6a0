import type { ReactElement } from "react";
import styles from "./spinner.module.css";

/** Spins during an activity. The label describes it if no text beside it does. */
export function Spinner({ label }: { readonly label?: string }): ReactElement {
  return label === undefined ? (
    <span className={styles.spinner} aria-hidden="true" />
  ) : (
    <span className={styles.spinner} role="img" aria-label={label} />
  );
}
