import type { ComponentProps, ReactElement } from "react";
import { classNames } from "./class-names.js";
import styles from "./field-label.module.css";

/** A name over its control. */
export function FieldLabel({ className, ...rest }: ComponentProps<"label">): ReactElement {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among its children
    <label className={classNames(styles.field, className)} {...rest} />
  );
}
