import type { ReactElement } from "react";
import styles from "./code-field.module.css";
import { CopyButton } from "./copy-button.js";

interface CodeFieldProps {
  readonly text: string;
  /** For screen readers. */
  readonly label: string;
}

/** A command or script to be read and copied; it can be scrolled with the keyboard. */
export function CodeField({ text, label }: CodeFieldProps): ReactElement {
  return (
    <div className={styles.codeField}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <section aria-label={label} tabIndex={0}>
        <pre>{text}</pre>
      </section>
      <CopyButton text={text} variant="standard" className={styles.copy} />
    </div>
  );
}
