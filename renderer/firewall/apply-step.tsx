import { type ReactElement, useEffect, useState } from "react";
import type { FirewallApply, FirewallWizard } from "../../main/api/firewall.js";
import { ProblemView } from "../parts/problem-view.js";
import { CodeField } from "../ui/code-field.js";
import { minutesText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { ProofList, type ProofRow } from "../ui/proof-list.js";
import styles from "./step-parts.module.css";

/** The request for rights, and its outcome. */
export function ApplyStep({ wizard }: { readonly wizard: FirewallWizard }): ReactElement {
  const { apply, plan, machine, problem } = wizard;
  if (apply?.state === "by-hand") {
    return (
      <>
        <h3>Run this command on {machine.name}</h3>
        <p>
          The rights cannot be requested there. Paste this line into a terminal of {machine.name}, then choose
          Test again.
        </p>
        <CodeField text={apply.command ?? plan?.command ?? ""} label="Command to run" />
        {apply.problem ? (
          <ProblemView className={styles.apart} problem={apply.problem} kind="notice" />
        ) : null}
      </>
    );
  }
  return (
    <>
      <h3>{headline(wizard)}</h3>
      {apply === undefined || apply.state === "waiting" ? (
        <Waiting wizard={wizard} since={apply?.since} />
      ) : (
        <Ended apply={apply} />
      )}
      {problem ? <ProblemView className={styles.apart} problem={problem} /> : null}
      {plan && apply?.state !== "applied" && apply?.state !== "already" ? (
        <>
          <p className={styles.note}>
            <Icon name="key" />
            <span>
              No administrator rights here? Copy this line and send it to the administrator of {machine.name},
              then choose Test again.
            </span>
          </p>
          <CodeField text={plan.command} label="Command for an administrator" />
        </>
      ) : null}
    </>
  );
}

function headline({ apply, plan, facts, machine }: FirewallWizard): string {
  switch (apply?.state) {
    case "applied":
      return `The rules are on ${machine.name}`;
    case "already":
      return "The rules were already there";
    case "declined":
      return "The prompt was declined";
    case "failed":
      return "The change did not succeed";
    case "undone":
      return "The rules were removed";
    default:
      if (plan?.elevation === "none") return `Changing the rules on ${machine.name}`;
      return facts?.tool === "windows"
        ? "Windows asks for an administrator"
        : `${machine.name} asks for an administrator`;
  }
}

const TICK_MILLIS = 1000;

function Waiting({
  wizard: { plan, machine },
  since,
}: {
  readonly wizard: FirewallWizard;
  readonly since: number | undefined;
}): ReactElement {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MILLIS);
    return () => clearInterval(timer);
  }, []);
  const waited = since === undefined ? "" : `, ${minutesText(now - since)}`;
  const asked = plan?.elevation !== "none";
  const rows: ProofRow[] = [
    { what: "Command checked", outcome: "ok", detail: "same text as in the previous step" },
    asked
      ? {
          what: "Waiting for approval",
          outcome: "busy",
          detail: `answer the prompt on ${machine.name}${waited}`,
        }
      : { what: "Applying", outcome: "busy", detail: `on ${machine.name}${waited}` },
  ];
  return (
    <>
      {asked ? (
        <p>
          {plan?.elevation === "uac" ? (
            <>
              A User Account Control prompt for <b>Windows PowerShell</b> is open.
            </>
          ) : (
            "A dialog that asks for an administrator's password is open."
          )}{" "}
          It runs the script of the previous step and nothing else. If you decline, nothing changes.
        </p>
      ) : null}
      <ProofList rows={rows} />
    </>
  );
}

const ENDS: Readonly<Record<Exclude<FirewallApply["state"], "waiting" | "by-hand">, string>> = {
  applied: "They are tested next.",
  already: "Nothing had to be changed. If it still does not work, something else is the cause.",
  declined: "Nothing was changed.",
  failed: "The system's message is below. Rules that were added stay until you remove them.",
  undone: "The firewall is as it was before.",
};

function Ended({ apply }: { readonly apply: FirewallApply }): ReactElement {
  return (
    <>
      <p>{apply.state === "waiting" || apply.state === "by-hand" ? "" : ENDS[apply.state]}</p>
      {apply.problem ? (
        <ProblemView
          className={styles.apart}
          problem={apply.problem}
          kind={apply.state === "failed" ? "problem" : "notice"}
        />
      ) : null}
    </>
  );
}
