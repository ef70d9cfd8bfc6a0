import type { ReactElement } from "react";
import type { FirewallWizard } from "../../main/api/firewall.js";
import { ProblemView } from "../parts/problem-view.js";
import { ProofList } from "../ui/proof-list.js";
import { Spinner } from "../ui/spinner.js";
import textStyles from "../ui/text.module.css";
import styles from "./step-parts.module.css";

/** What is blocked, with the tests that showed it. */
export function BlockedStep({ wizard }: { readonly wizard: FirewallWizard }): ReactElement {
  const { headline, explanation, proof, busy, facts, problem } = wizard;
  return (
    <>
      <h3>{headline}</h3>
      {busy ? (
        <p className={styles.busy} role="status">
          <Spinner />
          Testing…
        </p>
      ) : null}
      {proof.length > 0 ? <ProofList rows={proof} /> : null}
      <p>{explanation}</p>
      {facts ? <p className={textStyles.muted}>{firewallText(facts)}</p> : null}
      {facts?.problem ? <ProblemView className={styles.apart} problem={facts.problem} kind="notice" /> : null}
      {problem ? <ProblemView className={styles.apart} problem={problem} /> : null}
    </>
  );
}

function firewallText({ tool, name, active, adapters }: NonNullable<FirewallWizard["facts"]>): string {
  if (tool === "none") return "No firewall was found there.";
  const where = adapters
    .map((adapter) => (adapter.profile === "" ? adapter.name : `${adapter.name}, ${adapter.profile}`))
    .join("; ");
  const state = active ? "is on" : "is installed but off; Tensordeck never switches it on";
  return `${name} ${state}.${where === "" ? "" : ` Network: ${where}.`}`;
}
