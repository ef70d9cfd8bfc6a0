import type { ButtonHTMLAttributes, ReactElement, ReactNode, Ref } from "react";
import { Icon, type IconName } from "./icon.js";
import { Tooltip } from "./tooltip.js";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly variant?: "standard" | "primary" | "danger" | "ghost" | "strong";
  readonly size?: "standard" | "small";
  readonly icon?: IconName;
  /** Filled across its parent. */
  readonly wide?: boolean;
  readonly children: ReactNode;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({
  variant = "standard",
  size = "standard",
  icon,
  wide,
  children,
  className,
  ...rest
}: ButtonProps): ReactElement {
  const classes = ["btn"];
  if (variant !== "standard") classes.push(variant);
  if (size === "small") classes.push("small");
  if (wide) classes.push("wide");
  if (className) classes.push(className);
  return (
    <button type="button" className={classes.join(" ")} {...rest}>
      {icon ? <Icon name={icon} /> : null}
      {children}
    </button>
  );
}

export interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly icon: IconName;
  /** Read out, and shown as the tooltip unless that says more. */
  readonly label: string;
  readonly tooltip?: string;
  readonly shortcut?: string | undefined;
  readonly small?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** A button that is only an icon. Its tooltip says what it does. */
export function IconButton({
  icon,
  label,
  tooltip = label,
  shortcut,
  small,
  className,
  ...rest
}: IconButtonProps): ReactElement {
  const classes = ["ib"];
  if (small) classes.push("small");
  if (className) classes.push(className);
  return (
    <Tooltip text={tooltip} shortcut={shortcut}>
      <button type="button" className={classes.join(" ")} aria-label={label} {...rest}>
        <Icon name={icon} />
      </button>
    </Tooltip>
  );
}
