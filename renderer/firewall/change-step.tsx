import { type ReactElement, useEffect, useRef } from "react";
import type { FirewallPlan, FirewallRule, FirewallWizard } from "../../main/api/firewall.js";
import { ProblemView } from "../parts/problem-view.js";
import { attempt } from "../stores/app-store.js";
import { configureFirewall } from "../stores/firewall-store.js";
import { texts } from "../texts/texts.js";
import { classNames } from "../ui/class-names.js";
import { CodeField } from "../ui/code-field.js";
import { Icon } from "../ui/icon.js";
import { Spinner } from "../ui/spinner.js";
import textStyles from "../ui/text.module.css";
import styles from "./change-step.module.css";
import partStyles from "./step-parts.module.css";

const words = texts.firewall.changeStep;

/** Exactly what will change, before any rights are requested. */
export function ChangeStep({ wizard }: { readonly wizard: FirewallWizard }): ReactElement {
  const { machine, facts, problem, busy } = wizard;
  // While a new choice is planned the old plan stays in view, dimmed, so that nothing jumps.
  const shown = useRef(wizard.plan);
  useEffect(() => {
    if (wizard.plan) shown.current = wizard.plan;
  }, [wizard.plan]);
  const plan = wizard.plan ?? (busy ? shown.current : undefined);
  return (
    <>
      <h3>{plan ? headline(plan, machine.name) : words.whatWillChange({ machine: machine.name })}</h3>
      {plan === undefined && busy ? (
        <p className={partStyles.busy} role="status">
          <Spinner />
          {words.readingCurrentRules}
        </p>
      ) : null}
      {problem ? <ProblemView className={partStyles.apart} problem={problem} /> : null}
      {plan ? <Rules rules={plan.rules} adapter={adapterText(facts)} /> : null}
      <Scope wizard={wizard} />
      {facts && facts.blockRules.length > 0 ? <BlockRules wizard={wizard} facts={facts} /> : null}
      {plan ? (
        <div className={wizard.plan ? undefined : styles.old} aria-busy={!wizard.plan}>
          {plan.script.trim() === "" ? null : <CodeField text={plan.script} label={words.wholeScript} />}
          {plan.notes.map(({ kind, text }) => (
            <p
              key={text}
              className={classNames(partStyles.note, kind === "ok" ? partStyles.good : partStyles.warning)}
            >
              <Icon name={kind === "ok" ? "check" : "warning"} />
              <span>{text}</span>
            </p>
          ))}
        </div>
      ) : null}
    </>
  );
}

function headline({ rules, removals }: FirewallPlan, machine: string): string {
  if (rules.length === 0 && removals.length === 0) return words.nothingToChange({ machine });
  const added = { rules: rules.length, machine };
  return removals.length > 0
    ? words.addedAndRemoved({ ...added, removals: removals.length })
    : words.added(added);
}

function adapterText(facts: FirewallWizard["facts"]): string {
  return (facts?.adapters ?? [])
    .map(({ name, profile }) => (profile === "" ? name : `${name}, ${profile}`))
    .join("; ");
}

function portsText({ protocol, ports }: FirewallRule): string {
  return ports === "" ? protocol : `${protocol} ${ports}`;
}

/** One rule with all its facts; several as a table. */
function Rules({
  rules,
  adapter,
}: {
  readonly rules: readonly FirewallRule[];
  readonly adapter: string;
}): ReactElement | null {
  const [first] = rules;
  if (first === undefined) return null;
  if (rules.length === 1) {
    const facts: readonly (readonly [string, string])[] = [
      [words.name, first.name],
      [words.direction, words.inboundAllow],
      [words.ports, portsText(first)],
      [words.profile, first.profile],
      [words.from, first.from],
      [words.adapterNow, adapter],
    ];
    return (
      <dl className={styles.rule}>
        {facts
          .filter(([, value]) => value !== "")
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
    );
  }
  const profiles = rules.some(({ profile }) => profile !== "");
  return (
    <table className={styles.rules}>
      <caption className={textStyles.spokenOnly}>{words.rulesCaption}</caption>
      <thead>
        <tr>
          <th>{words.allow}</th>
          <th>{words.from}</th>
          {profiles ? <th>{words.profile}</th> : null}
          <th>{words.for}</th>
        </tr>
      </thead>
      <tbody>
        {rules.map((rule) => (
          <tr key={`${rule.name} ${portsText(rule)}`} title={rule.name}>
            <td>{portsText(rule)}</td>
            <td>{rule.from}</td>
            {profiles ? <td>{rule.profile}</td> : null}
            <td>{rule.purpose}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Everyone on the local network, or the one machine that cannot get through. */
function Scope({ wizard }: { readonly wizard: FirewallWizard }): ReactElement | null {
  const { peer, scope, busy } = wizard;
  if (peer === undefined) return null;
  return (
    <fieldset className={styles.choices} disabled={busy}>
      <legend>{words.whoMayConnect}</legend>
      <label>
        <input
          type="radio"
          name="scope"
          checked={scope.kind === "subnet"}
          onChange={() => attempt(() => configureFirewall({ scope: { kind: "subnet" } }))}
        />
        {words.everyMachine}
      </label>
      <label>
        <input
          type="radio"
          name="scope"
          checked={scope.kind === "peer"}
          onChange={() =>
            attempt(() => configureFirewall({ scope: { kind: "peer", address: peer.address } }))
          }
        />
        {words.onlyPeer({
          peer: peer.name,
          address: peer.address,
          code: (children) => <span className={textStyles.monospace}>{children}</span>,
        })}
      </label>
    </fieldset>
  );
}

/** Rules that block regardless of others; they are only removed with consent. */
function BlockRules({
  wizard,
  facts,
}: {
  readonly wizard: FirewallWizard;
  readonly facts: NonNullable<FirewallWizard["facts"]>;
}): ReactElement {
  const { blockRules } = facts;
  return (
    <div className={styles.choices}>
      <label>
        <input
          type="checkbox"
          checked={wizard.removeBlockRules}
          disabled={wizard.busy}
          onChange={(event) => attempt(() => configureFirewall({ removeBlockRules: event.target.checked }))}
        />
        <span>
          {words.removeBlockRules({ count: blockRules.length })}
          {blockRules.map(({ id, name, program }) => (
            <span key={id} className={styles.program}>
              {name}, {program}
            </span>
          ))}
        </span>
      </label>
    </div>
  );
}
