import type { ReactElement } from "react";
import { Icon, type IconName } from "./icon.js";

interface SwitchProps {
  readonly label: string;
  readonly icon?: IconName;
  readonly checked: boolean;
  readonly title?: string | undefined;
  onChange(checked: boolean): void;
}

export function Switch({ label, icon, checked, title, onChange }: SwitchProps): ReactElement {
  return (
    <button
      type="button"
      role="switch"
      className="switch"
      aria-checked={checked}
      title={title}
      onClick={() => onChange(!checked)}
    >
      {icon ? <Icon name={icon} /> : null}
      {label}
      <i aria-hidden="true" />
    </button>
  );
}
