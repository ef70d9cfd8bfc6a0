import type { ReactElement, ReactNode } from "react";
import { classNames } from "../ui/class-names.js";
import styles from "./fact-list.module.css";

interface FactListProps {
  /** With a line between facts, whose own lines are kept. */
  readonly ruled?: boolean;
  /** `Fact` elements. */
  readonly children: ReactNode;
}

/** Names and values side by side. */
export function FactList({ ruled, children }: FactListProps): ReactElement {
  return <dl className={classNames(styles.facts, ruled && styles.ruled)}>{children}</dl>;
}

interface FactProps {
  readonly name: string;
  /** The value. */
  readonly children: ReactNode;
}

export function Fact({ name, children }: FactProps): ReactElement {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
