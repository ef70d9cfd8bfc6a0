import type { ReactElement } from "react";
import { Icon, type IconName } from "./icon.js";

export interface ProofRow {
  /** What was tested: "raspberrypi → gpu-pc:2222". */
  readonly what: string;
  readonly outcome: "ok" | "failed" | "unknown" | "busy";
  /** What it showed. */
  readonly detail: string;
}

const SIGNS: Readonly<Record<ProofRow["outcome"], { readonly icon: IconName; readonly said: string }>> = {
  ok: { icon: "check", said: "ok" },
  failed: { icon: "close", said: "failed" },
  unknown: { icon: "help", said: "not known" },
  busy: { icon: "refresh", said: "in progress" },
};

/** What was tested and what it showed, one line each. */
export function ProofList({ rows }: { readonly rows: readonly ProofRow[] }): ReactElement {
  return (
    <ul className="proofs">
      {rows.map(({ what, outcome, detail }) => (
        <li key={`${what} ${detail}`} className={outcome}>
          <span className="proof-sign">
            {outcome === "busy" ? (
              <span className="spinner" aria-hidden="true" />
            ) : (
              <Icon name={SIGNS[outcome].icon} />
            )}
          </span>
          <span className="mono">
            <span className="hidden-text">{SIGNS[outcome].said}: </span>
            {what}
          </span>
          <span>{detail}</span>
        </li>
      ))}
    </ul>
  );
}
