import type { ReactElement } from "react";
import { Icon, type IconName } from "./icon.js";
import styles from "./switch.module.css";

interface SwitchProps {
  readonly label: string;
  readonly icon?: IconName;
  readonly checked: boolean;
  /** It can still be focused; its title says why it does nothing. */
  readonly disabled?: boolean;
  readonly title?: string | undefined;
  onChange(checked: boolean): void;
}

export function Switch({
  label,
  icon,
  checked,
  disabled = false,
  title,
  onChange,
}: SwitchProps): ReactElement {
  return (
    <button
      type="button"
      role="switch"
      className={styles.switch}
      aria-checked={checked}
      aria-disabled={disabled || undefined}
      title={title}
      onClick={() => disabled || onChange(!checked)}
    >
      {icon ? <Icon name={icon} /> : null}
      {label}
      <i className={styles.track} aria-hidden="true" />
    </button>
  );
}
