import { type ReactElement, useEffect, useState } from "react";
import type { FirewallApply, FirewallWizard } from "../../main/api/firewall.js";
import { ProblemView } from "../parts/problem-view.js";
import { texts } from "../texts/texts.js";
import { CodeField } from "../ui/code-field.js";
import { minutesText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { ProofList, type ProofRow } from "../ui/proof-list.js";
import { bold } from "../ui/rich-parts.js";
import styles from "./step-parts.module.css";

const words = texts.firewall.applyStep;

/** The request for rights, and its outcome. */
export function ApplyStep({ wizard }: { readonly wizard: FirewallWizard }): ReactElement {
  const { apply, plan, machine, problem } = wizard;
  if (apply?.state === "by-hand") {
    return (
      <>
        <h3>{words.runThisCommand({ machine: machine.name })}</h3>
        <p>{words.runByHand({ machine: machine.name })}</p>
        <CodeField text={apply.command ?? plan?.command ?? ""} label={words.commandToRun} />
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
            <span>{words.noRights({ machine: machine.name })}</span>
          </p>
          <CodeField text={plan.command} label={words.commandForAdministrator} />
        </>
      ) : null}
    </>
  );
}

function headline({ apply, plan, facts, machine }: FirewallWizard): string {
  const where = { machine: machine.name };
  switch (apply?.state) {
    case "applied":
      return words.applied.headline(where);
    case "already":
    case "declined":
    case "failed":
    case "undone":
      return words[apply.state].headline;
    default:
      if (plan?.elevation === "none") return words.changingRules(where);
      return facts?.tool === "windows" ? words.windowsAsks : words.machineAsks(where);
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
  const time = since === undefined ? undefined : minutesText(now - since);
  const where = { machine: machine.name };
  const asked = plan?.elevation !== "none";
  const rows: ProofRow[] = [
    { what: words.commandChecked, outcome: "ok", detail: words.sameText },
    asked
      ? {
          what: words.waitingForApproval,
          outcome: "busy",
          detail:
            time === undefined ? words.answerPrompt(where) : words.answerPromptSince({ ...where, time }),
        }
      : {
          what: words.applying,
          outcome: "busy",
          detail: time === undefined ? words.applyingOn(where) : words.applyingSince({ ...where, time }),
        },
  ];
  return (
    <>
      {asked ? (
        <p>{plan?.elevation === "uac" ? words.windowsPrompt({ b: bold }) : words.passwordPrompt}</p>
      ) : null}
      <ProofList rows={rows} />
    </>
  );
}

function Ended({ apply }: { readonly apply: FirewallApply }): ReactElement {
  return (
    <>
      <p>{apply.state === "waiting" || apply.state === "by-hand" ? "" : words[apply.state].text}</p>
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
