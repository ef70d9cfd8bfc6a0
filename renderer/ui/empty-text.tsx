import type { ComponentProps, ReactElement } from "react";
import styles from "./empty-text.module.css";

/** Shown in place of an empty list or table, with the reason. */
export function EmptyText({ children }: Pick<ComponentProps<"p">, "children">): ReactElement {
  return <div className={styles.emptyText}>{children}</div>;
}
