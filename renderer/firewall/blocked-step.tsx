import type { ReactElement } from "react";
import type { FirewallWizard } from "../../main/api/firewall.js";
import { ProblemView } from "../parts/problem-view.js";
import { texts } from "../texts/texts.js";
import { ProofList } from "../ui/proof-list.js";
import { Spinner } from "../ui/spinner.js";
import textStyles from "../ui/text.module.css";
import styles from "./step-parts.module.css";

const words = texts.firewall.blockedStep;

/** The result of the tests, with their evidence. */
export function BlockedStep({ wizard }: { readonly wizard: FirewallWizard }): ReactElement {
  const { headline, explanation, proof, busy, facts, problem } = wizard;
  return (
    <>
      <h3>{headline}</h3>
      {busy ? (
        <p className={styles.busy} role="status">
          <Spinner />
          {words.testing}
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
  if (tool === "none") return words.noFirewall;
  const networks = adapters
    .map((adapter) => (adapter.profile === "" ? adapter.name : `${adapter.name}, ${adapter.profile}`))
    .join("; ");
  if (networks === "") return (active ? words.on : words.off)({ name });
  return (active ? words.onWithNetwork : words.offWithNetwork)({ name, networks });
}
