import type { ReactElement, ReactNode } from "react";
import { classNames } from "../ui/class-names.js";
import styles from "./tab-bar.module.css";

interface TabBarProps {
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** The row above the content of a tab: its title and controls. */
export function TabBar({ className, children }: TabBarProps): ReactElement {
  return <div className={classNames(styles.bar, className)}>{children}</div>;
}
