import type { ButtonHTMLAttributes, ReactElement, Ref } from "react";
import { classNames } from "./class-names.js";
import { Icon, type IconName } from "./icon.js";
import styles from "./icon-button.module.css";
import { Tooltip } from "./tooltip.js";

interface PlainIconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly icon: IconName;
  /** Read out. */
  readonly label: string;
  readonly small?: boolean;
  /** Side of the icon in CSS pixels; defaults to 16. */
  readonly iconSize?: number;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** A button that is only an icon, for use where its purpose is otherwise clear. */
export function PlainIconButton(props: PlainIconButtonProps): ReactElement {
  const { icon, label, small, iconSize = 16, className, ...rest } = props;
  return (
    <button
      type="button"
      className={classNames(styles.iconButton, small && styles.small, className)}
      aria-label={label}
      {...rest}
    >
      <Icon name={icon} size={iconSize} />
    </button>
  );
}

export interface IconButtonProps extends Omit<PlainIconButtonProps, "iconSize"> {
  /** Shown in place of the label. */
  readonly tooltip?: string;
  readonly shortcut?: string | undefined;
}

/** A button that is only an icon. Its tooltip says what it does. */
export function IconButton({ tooltip, shortcut, ...rest }: IconButtonProps): ReactElement {
  return (
    <Tooltip text={tooltip ?? rest.label} shortcut={shortcut}>
      <PlainIconButton {...rest} />
    </Tooltip>
  );
}
