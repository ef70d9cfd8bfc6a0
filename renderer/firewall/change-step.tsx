import { type ReactElement, useEffect, useRef } from "react";
import type { FirewallPlan, FirewallRule, FirewallWizard } from "../../main/api/firewall.js";
import { ProblemView } from "../parts/problem-view.js";
import { attempt } from "../stores/app-store.js";
import { configureFirewall } from "../stores/firewall-store.js";
import { classNames } from "../ui/class-names.js";
import { CodeField } from "../ui/code-field.js";
import { countText } from "../ui/format.js";
import { Icon } from "../ui/icon.js";
import { Spinner } from "../ui/spinner.js";
import textStyles from "../ui/text.module.css";
import styles from "./change-step.module.css";
import partStyles from "./step-parts.module.css";

const NUMBERS = ["No", "One", "Two", "Three", "Four", "Five"];

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
      <h3>{plan ? headline(plan, machine.name) : `What will change on ${machine.name}`}</h3>
      {plan === undefined && busy ? (
        <p className={partStyles.busy} role="status">
          <Spinner />
          Reading the current rules…
        </p>
      ) : null}
      {problem ? <ProblemView className={partStyles.apart} problem={problem} /> : null}
      {plan ? <Rules rules={plan.rules} adapter={adapterText(facts)} /> : null}
      <Scope wizard={wizard} />
      {facts && facts.blockRules.length > 0 ? <BlockRules wizard={wizard} facts={facts} /> : null}
      {plan ? (
        <div className={wizard.plan ? undefined : styles.old} aria-busy={!wizard.plan}>
          {plan.script.trim() === "" ? null : <CodeField text={plan.script} label="The whole script" />}
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
  if (rules.length === 0 && removals.length === 0) return `Nothing has to change on ${machine}`;
  const number = NUMBERS[rules.length] ?? String(rules.length);
  const added = `${number} ${rules.length === 1 ? "rule" : "rules"} will be added`;
  const removed = removals.length > 0 ? ` and ${countText(removals.length, "Block rule")} removed` : "";
  return `${added}${removed} on ${machine}`;
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
      ["Name", first.name],
      ["Direction", "Inbound, allow"],
      ["Ports", portsText(first)],
      ["Profile", first.profile],
      ["From", first.from],
      ["Adapter now", adapter],
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
      <caption className={textStyles.spokenOnly}>
        Rules that will be added; all allow inbound connections
      </caption>
      <thead>
        <tr>
          <th>Allow</th>
          <th>From</th>
          {profiles ? <th>Profile</th> : null}
          <th>For</th>
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
      <legend>Who may connect</legend>
      <label>
        <input
          type="radio"
          name="scope"
          checked={scope.kind === "subnet"}
          onChange={() => attempt(() => configureFirewall({ scope: { kind: "subnet" } }))}
        />
        Every machine on the local network
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
        Only {peer.name} <span className={textStyles.monospace}>{peer.address}</span>
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
          Also remove {countText(blockRules.length, "Block rule")} of this program. They win over every Allow
          rule.
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
