import type { ReactElement } from "react";
import styles from "./switch-box.module.css";

interface SwitchBoxProps {
  readonly checked: boolean;
  onChange(): void;
}

/** A switch at the end of a row whose label says what it switches. */
export function SwitchBox({ checked, onChange }: SwitchBoxProps): ReactElement {
  return (
    <input
      type="checkbox"
      role="switch"
      className={styles.switchBox}
      checked={checked}
      aria-checked={checked}
      onChange={onChange}
    />
  );
}
