import type { ButtonHTMLAttributes, ReactElement, ReactNode, Ref } from "react";
import styles from "./button.module.css";
import { classNames } from "./class-names.js";
import { Icon, type IconName } from "./icon.js";

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
  return (
    <button
      type="button"
      className={classNames(
        styles.button,
        variant === "primary" && styles.primary,
        variant === "danger" && styles.danger,
        variant === "ghost" && styles.ghost,
        variant === "strong" && styles.strong,
        size === "small" && styles.small,
        wide && styles.wide,
        className,
      )}
      data-primary={variant === "primary" ? "" : undefined}
      {...rest}
    >
      {icon ? <Icon name={icon} /> : null}
      {children}
    </button>
  );
}
