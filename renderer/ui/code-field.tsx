import type { ReactElement } from "react";
import { CopyButton } from "./copy-button.js";

interface CodeFieldProps {
  readonly text: string;
  /** Said to screen readers. */
  readonly label: string;
}

/** A command or script to be read and copied; it can be scrolled with the keyboard. */
export function CodeField({ text, label }: CodeFieldProps): ReactElement {
  return (
    <div className="code-field">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <section aria-label={label} tabIndex={0}>
        <pre>{text}</pre>
      </section>
      <CopyButton text={text} />
    </div>
  );
}
