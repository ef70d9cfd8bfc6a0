import type { ReactElement } from "react";
import { texts } from "../texts/texts.js";
import { classNames } from "./class-names.js";
import { Icon, type IconName } from "./icon.js";
import styles from "./proof-list.module.css";
import { Spinner } from "./spinner.js";
import textStyles from "./text.module.css";

const words = texts.ui.proofList;

export interface ProofRow {
  /** The test: "raspberrypi → gpu-pc:2222". */
  readonly what: string;
  readonly outcome: "ok" | "failed" | "unknown" | "busy";
  /** The result. */
  readonly detail: string;
}

const SIGNS: Readonly<Record<ProofRow["outcome"], { readonly icon: IconName; readonly said: string }>> = {
  ok: { icon: "check", said: words.outcomes.ok },
  failed: { icon: "close", said: words.outcomes.failed },
  unknown: { icon: "help", said: words.outcomes.unknown },
  busy: { icon: "refresh", said: words.outcomes.busy },
};

/** Tests and their results, one line each. */
export function ProofList({ rows }: { readonly rows: readonly ProofRow[] }): ReactElement {
  return (
    <ul className={styles.proofs}>
      {rows.map(({ what, outcome, detail }) => (
        <li
          key={`${what} ${detail}`}
          className={classNames(
            styles.proof,
            outcome === "ok" && styles.ok,
            outcome === "failed" && styles.failed,
          )}
        >
          <span className={styles.sign}>
            {outcome === "busy" ? <Spinner /> : <Icon name={SIGNS[outcome].icon} />}
          </span>
          <span className={styles.what}>
            <span className={textStyles.spokenOnly}>{SIGNS[outcome].said}: </span>
            {what}
          </span>
          <span className={styles.detail}>{detail}</span>
        </li>
      ))}
    </ul>
  );
}
