/** Test results and firewall facts as rows of evidence. Pure. */
import type { FirewallFacts, FirewallPlan, Proof } from "../../../api/firewall.js";
import { layerOf } from "../../reachability/layers/result.js";
import { isInPlace, ruleText } from "../rules.js";
import type { WizardMachine } from "./wizard-machine.js";
import type { Dial, PortTest } from "./wizard-tests.js";

export interface Evidence {
  readonly machine: WizardMachine;
  readonly peer: WizardMachine | undefined;
  readonly tests: readonly PortTest[];
  readonly facts: FirewallFacts | undefined;
}

/** The rules are never for the Public profile. */
export const publicProof: Proof = {
  what: "Public profile",
  outcome: "ok",
  detail: "still closed: all rules are for the Private profile",
};

export function peerProof({ machine, peer }: Evidence, tests: readonly PortTest[]): Proof[] {
  if (!peer) return [];
  const ping = tests.map(({ dial }) => layerOf(dial?.layers, "ping")).find((layer) => layer !== undefined);
  const pings: Proof[] =
    ping === undefined
      ? []
      : [
          {
            what: `${peer.name} → ${machine.name}`,
            // Many machines do not answer pings although they are up.
            outcome: ping.outcome === "ok" ? "ok" : "unknown",
            detail:
              ping.outcome === "ok"
                ? `ping ${ping.detail ?? "answers"}`
                : `ping: ${ping.detail ?? "no answer"}`,
          },
        ];
  return [...pings, ...tests.flatMap(({ port, dial }) => (dial ? [dialProof(machine, port, dial)] : []))];
}

function dialProof({ name }: WizardMachine, port: number, dial: Dial): Proof {
  const what = `${dial.from} → ${name}:${port}`;
  if (!dial.layers) return { what, outcome: "unknown", detail: dial.why ?? "not tried" };
  const tcp = layerOf(dial.layers, "tcp");
  if (tcp?.outcome === "ok") {
    const millis = tcp.millis === undefined ? "" : ` in ${Math.max(1, Math.round(tcp.millis))} ms`;
    return { what, outcome: "ok", detail: `connected${millis}` };
  }
  return { what, outcome: "failed", detail: layersText(dial) };
}

export function listeningProof({ machine, tests }: Evidence): Proof[] {
  return tests.flatMap(({ port, listening, listener }): Proof[] =>
    listening === undefined
      ? []
      : [
          {
            what: `${machine.name}:${port}`,
            outcome: listening ? "ok" : "failed",
            detail: listening ? `${listener} is listening` : "nothing listens",
          },
        ],
  );
}

export function othersProof({ machine, tests }: Evidence): Proof[] {
  return tests.flatMap(({ port, others }) => others.map((dial) => dialProof(machine, port, dial)));
}

export function ruleProof(
  machine: WizardMachine,
  facts: FirewallFacts | undefined,
  plan: FirewallPlan | undefined,
): Proof[] {
  if (!plan || plan.rules.length === 0) return [];
  if (!facts || facts.problem) {
    const detail = facts?.problem?.message ?? "the firewall cannot be asked now";
    return [{ what: `Rules on ${machine.name}`, outcome: "unknown", detail }];
  }
  const own = new Set(facts.ownRules);
  const left = facts.blockRules.filter(({ name }) => plan.removals.includes(name));
  return [
    ...plan.rules.map(
      (rule): Proof => ({
        what: `Rule on ${machine.name}`,
        outcome: own.has(ruleText(rule)) ? "ok" : "failed",
        detail: own.has(ruleText(rule)) ? ruleText(rule) : `${rule.name} is not there`,
      }),
    ),
    ...left.map(
      ({ name }): Proof => ({
        what: `Block rule on ${machine.name}`,
        outcome: "failed",
        detail: `${name} is still there`,
      }),
    ),
    ...(isInPlace(facts, { ...plan, removals: [] }) ? [] : strayProof(machine, facts, plan)),
  ];
}

function strayProof(machine: WizardMachine, facts: FirewallFacts, plan: FirewallPlan): Proof[] {
  const wanted = new Set(plan.rules.map(ruleText));
  return facts.ownRules
    .filter((text) => !wanted.has(text))
    .map((text) => ({ what: `Rule on ${machine.name}`, outcome: "unknown", detail: `besides: ${text}` }));
}

export function ownRulesProof({ machine, facts }: Evidence): Proof[] {
  if (!facts?.active) return [];
  const what = `Rules of Tensordeck on ${machine.name}`;
  if (facts.problem) return [{ what, outcome: "unknown", detail: facts.problem.message }];
  return facts.ownRules.length === 0
    ? [{ what, outcome: "unknown", detail: "none" }]
    : facts.ownRules.map((detail) => ({ what, outcome: "ok", detail }));
}

export function layersText(dial: Dial | undefined): string {
  const failure = dial?.layers?.find(({ layer, outcome }) => layer !== "ping" && outcome === "failed");
  return failure?.detail ?? dial?.why ?? "no connection";
}
