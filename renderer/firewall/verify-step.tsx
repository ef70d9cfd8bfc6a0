import type { ReactElement } from "react";
import type { FirewallWizard } from "../../main/api/firewall.js";
import { ProblemView } from "../parts/problem-view.js";
import { texts } from "../texts/texts.js";
import { ProofList } from "../ui/proof-list.js";
import { Spinner } from "../ui/spinner.js";
import styles from "./step-parts.module.css";

const words = texts.firewall.verifyStep;

/** Whether the change helped, tested from the other machine and without an administrator's rights. */
export function VerifyStep({ wizard }: { readonly wizard: FirewallWizard }): ReactElement {
  const { explanation, verification, busy, problem, apply, machine } = wizard;
  const removing = apply?.state === "waiting";
  return (
    <>
      <h3>{headlineOf(wizard)}</h3>
      {busy ? (
        <p className={styles.busy} role="status">
          <Spinner />
          {removing ? words.promptMayAsk({ machine: machine.name }) : words.testing}
        </p>
      ) : null}
      {verification.length > 0 ? <ProofList rows={verification} /> : null}
      {busy ? null : <p>{explanation}</p>}
      {problem ? <ProblemView className={styles.apart} problem={problem} /> : null}
      {apply?.problem && apply.problem.message !== problem?.message ? (
        <ProblemView className={styles.apart} problem={apply.problem} kind="notice" />
      ) : null}
    </>
  );
}

/** Until the test is done the headline is still that of the step before. */
function headlineOf({ headline, apply, busy }: FirewallWizard): string {
  if (apply?.state === "waiting") return words.removingRules;
  if (apply?.state === "undone") return words.rulesRemoved;
  return busy ? words.testingHeadline : headline;
}
