import { Popover } from "radix-ui";
import type { ComponentProps, ReactElement } from "react";
import { classNames } from "./class-names.js";
import styles from "./popover-panel.module.css";

interface PopoverPanelProps extends ComponentProps<typeof Popover.Content> {
  /** The name of the panel, which screen readers announce as a dialog. */
  readonly label: string;
}

/** The content of a popover of Radix. */
export function PopoverPanel({ label, className, ...rest }: PopoverPanelProps): ReactElement {
  return <Popover.Content aria-label={label} className={classNames(styles.popover, className)} {...rest} />;
}
