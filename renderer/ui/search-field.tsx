import type { ReactElement, ReactNode } from "react";
import { classNames } from "./class-names.js";
import styles from "./search-field.module.css";

interface SearchFieldProps {
  /** bar: in a row of controls. filling: as wide as its place. */
  readonly size: "bar" | "filling";
  readonly className?: string | undefined;
  /** An icon or a word, the `input`, and what is said of its result. */
  readonly children: ReactNode;
}

/** The frame of a field in which something is searched. A click anywhere in it focuses the field. */
export function SearchField({ size, className, children }: SearchFieldProps): ReactElement {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the input is among its children
    <label
      className={classNames(styles.searchField, size === "bar" ? styles.bar : styles.filling, className)}
    >
      {children}
    </label>
  );
}
