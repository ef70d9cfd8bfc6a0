import type { HTMLAttributes, ReactElement } from "react";
import { classNames } from "./class-names.js";
import styles from "./tag.module.css";

interface TagProps extends HTMLAttributes<HTMLSpanElement> {
  readonly tone?: "standard" | "warning";
}

/** A word in a frame, beside a name. */
export function Tag({ tone = "standard", className, ...rest }: TagProps): ReactElement {
  return (
    <span className={classNames(styles.tag, tone === "warning" && styles.warning, className)} {...rest} />
  );
}
