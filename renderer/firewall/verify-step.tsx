import type { ReactElement } from "react";
import type { FirewallWizard } from "../../main/api/firewall.js";
import { ProblemView } from "../ui/problem-view.js";
import { ProofList } from "../ui/proof-list.js";

/** Whether it helped, tested from the other machine and without an administrator's rights. */
export function VerifyStep({ wizard }: { readonly wizard: FirewallWizard }): ReactElement {
  const { headline, explanation, verification, busy, problem, apply } = wizard;
  const undone = apply?.state === "undone";
  return (
    <>
      <h3>{undone ? "The rules were removed" : headline}</h3>
      {busy ? (
        <p className="busy-line" role="status">
          <span className="spinner" aria-hidden="true" />
          {undone ? "Testing…" : "Testing from the other side…"}
        </p>
      ) : null}
      {verification.length > 0 ? <ProofList rows={verification} /> : null}
      <p>{explanation}</p>
      {apply?.problem ? <ProblemView problem={apply.problem} kind="notice" /> : null}
      {problem ? <ProblemView problem={problem} /> : null}
    </>
  );
}
