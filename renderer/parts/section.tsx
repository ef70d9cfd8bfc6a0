/** The parts of a panel: sections with a heading and rows. */
import type { ReactElement, ReactNode } from "react";
import { classNames } from "../ui/class-names.js";
import styles from "./section.module.css";

interface SectionProps {
  /** Nothing follows it. */
  readonly last?: boolean;
  /** True if it shows measurements from before the last edit. */
  readonly stale?: boolean;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

export function Section({ last, stale, className, children }: SectionProps): ReactElement {
  return (
    <div className={classNames(styles.section, last && styles.last, stale && styles.stale, className)}>
      {children}
    </div>
  );
}

interface SectionHeadingProps {
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

export function SectionHeading({ className, children }: SectionHeadingProps): ReactElement {
  return <h3 className={classNames(styles.heading, className)}>{children}</h3>;
}

/** The less prominent part of a heading. */
export function HeadingAside({ children }: { readonly children: ReactNode }): ReactElement {
  return <span className={styles.aside}>{children}</span>;
}

/** A note below its subject. */
export function Note({ children }: { readonly children: ReactNode }): ReactElement {
  return <p className={styles.note}>{children}</p>;
}
