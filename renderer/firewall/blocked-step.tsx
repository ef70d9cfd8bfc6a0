import type { ReactElement } from "react";
import type { FirewallWizard } from "../../main/api/firewall.js";
import { ProblemView } from "../parts/problem-view.js";
import { ProofList } from "../ui/proof-list.js";

/** What is blocked, with what was tested to know it. */
export function BlockedStep({ wizard }: { readonly wizard: FirewallWizard }): ReactElement {
  const { headline, explanation, proof, busy, facts, problem } = wizard;
  return (
    <>
      <h3>{headline}</h3>
      {busy ? (
        <p className="busy-line" role="status">
          <span className="spinner" aria-hidden="true" />
          Testing…
        </p>
      ) : null}
      {proof.length > 0 ? <ProofList rows={proof} /> : null}
      <p>{explanation}</p>
      {facts ? <p className="fg2">{firewallText(facts)}</p> : null}
      {facts?.problem ? <ProblemView problem={facts.problem} kind="notice" /> : null}
      {problem ? <ProblemView problem={problem} /> : null}
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
