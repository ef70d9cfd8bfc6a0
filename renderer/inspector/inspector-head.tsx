import type { ReactElement, ReactNode } from "react";
import { viewCommands } from "../commands/view-commands.js";
import { CommandIconButton } from "../parts/command-button.js";
import styles from "./inspector-head.module.css";

/** The name of what is shown, and the button that puts the panel away. */
export function InspectorHead({ children }: { readonly children: ReactNode }): ReactElement {
  return (
    <div className={styles.head}>
      {children}
      <CommandIconButton command={viewCommands.inspector} small className={styles.close} />
    </div>
  );
}
