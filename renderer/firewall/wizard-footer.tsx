import type { ReactElement } from "react";
import type { FirewallWizard } from "../../main/api/firewall.js";
import { attempt } from "../stores/app-store.js";
import { closeFirewall } from "../stores/firewall-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { Button } from "../ui/button.js";
import { classNames } from "../ui/class-names.js";
import textStyles from "../ui/text.module.css";

const words = texts.firewall.wizardFooter;

type Action = "firewall.test" | "firewall.apply" | "firewall.undo";

const act = (method: Action) => () => attempt(() => client().call(method));
const goTo = (step: "blocked" | "change") => () => attempt(() => client().call("firewall.goTo", { step }));
const close = () => attempt(closeFirewall);

interface FooterProps {
  readonly wizard: FirewallWizard;
}

/** The buttons of each step, and its state meanwhile. */
export function WizardFooter({ wizard }: FooterProps): ReactElement {
  switch (wizard.step) {
    case "blocked":
      return (
        <>
          <span className={classNames(textStyles.grow, textStyles.muted)}>{words.nothingChanged}</span>
          <TestAgain wizard={wizard} />
          <Button onClick={close}>{texts.common.cancel}</Button>
          <Button variant="primary" onClick={goTo("change")}>
            {words.next}
          </Button>
        </>
      );
    case "change":
      return <ChangeFooter wizard={wizard} />;
    case "apply":
      return <ApplyFooter wizard={wizard} />;
    case "verify":
      return <VerifyFooter wizard={wizard} />;
  }
}

function TestAgain({ wizard: { busy } }: FooterProps): ReactElement {
  return (
    <Button variant="ghost" disabled={busy} onClick={act("firewall.test")}>
      {words.testAgain}
    </Button>
  );
}

function VerifyFooter({ wizard }: FooterProps): ReactElement {
  const { apply, busy, plan, verification } = wizard;
  const failed = verification.some(({ outcome }) => outcome === "failed");
  return (
    <>
      {apply?.state === "undone" ? null : (
        <Button variant="ghost" disabled={busy} onClick={act("firewall.undo")}>
          {plan?.rules.length === 1 ? words.removeRule : words.removeRules}
        </Button>
      )}
      <span className={textStyles.grow} />
      <TestAgain wizard={wizard} />
      {failed || apply?.state === "undone" ? (
        <Button disabled={busy} onClick={goTo("change")}>
          {texts.common.back}
        </Button>
      ) : null}
      <Button variant="primary" onClick={close}>
        {texts.common.done}
      </Button>
    </>
  );
}

function ChangeFooter({ wizard: { plan, busy } }: FooterProps): ReactElement {
  const undo = plan?.undoScript.split("\n").find((line) => line.trim() !== "") ?? "";
  const empty = plan !== undefined && plan.rules.length === 0 && plan.removals.length === 0;
  return (
    <>
      <span
        className={classNames(textStyles.grow, textStyles.muted, textStyles.truncated)}
        title={plan?.undoScript}
      >
        {undo === "" ? words.nothingChanged : words.undo({ command: undo.replace(/^# /, "") })}
      </span>
      <Button onClick={goTo("blocked")}>{texts.common.back}</Button>
      {empty ? (
        <Button variant="primary" onClick={close}>
          {texts.common.done}
        </Button>
      ) : (
        <Button
          variant="primary"
          disabled={plan === undefined || busy}
          {...(plan?.elevation === "by-hand" ? {} : { icon: "shield" as const })}
          onClick={act("firewall.apply")}
        >
          {plan?.elevation === "by-hand" ? words.next : words.apply}
        </Button>
      )}
    </>
  );
}

function ApplyFooter({ wizard }: FooterProps): ReactElement {
  const { apply, plan, busy } = wizard;
  const state = apply?.state ?? "waiting";
  if (state === "waiting") {
    const keeps = plan?.elevation === "uac" ? words.cancelKeepsWindowsPrompt : words.cancelKeepsPrompt;
    return (
      <>
        <span className={classNames(textStyles.grow, textStyles.muted)}>
          {plan?.elevation === "none" ? "" : keeps}
        </span>
        <Button onClick={close}>{texts.common.cancel}</Button>
        <Button variant="primary" icon="shield" disabled>
          {words.applying}
        </Button>
      </>
    );
  }
  const retry = state === "declined" || state === "failed" || state === "undone";
  return (
    <>
      <span className={classNames(textStyles.grow, textStyles.muted)}>
        {state === "declined" ? words.nothingChanged : ""}
      </span>
      <Button disabled={busy} onClick={goTo("change")}>
        {texts.common.back}
      </Button>
      {retry ? (
        <>
          <TestAgain wizard={wizard} />
          <Button variant="primary" icon="shield" disabled={busy} onClick={act("firewall.apply")}>
            {texts.common.tryAgain}
          </Button>
        </>
      ) : (
        <Button variant="primary" disabled={busy} onClick={act("firewall.test")}>
          {words.testAgain}
        </Button>
      )}
    </>
  );
}
