/** What tests and facts say together, in words. Pure. */
import type { FirewallApply, FirewallFacts, FirewallPlan, Proof } from "../../api/firewall.js";
import { explainRoute } from "../../reachability/explain.js";
import { portRanges, portText } from "../ports.js";
import { isInPlace, ruleText } from "../rules.js";
import type { WizardMachine } from "./wizard-machine.js";
import type { Findings } from "./wizard-state.js";
import { connects, type Dial, layerOf, type PortTest } from "./wizard-tests.js";

export interface Evidence {
  readonly machine: WizardMachine;
  readonly peer: WizardMachine | undefined;
  readonly tests: readonly PortTest[];
  readonly facts: FirewallFacts | undefined;
}

/** Step 1: what is blocked, with proof. */
export function diagnose(evidence: Evidence): Findings {
  const { peer, tests } = evidence;
  const proof = [...peerProof(evidence, tests), ...listeningProof(evidence), ...othersProof(evidence)];
  if (!peer) return { ...withoutPeer(evidence), proof: [...proof, ...ownRulesProof(evidence)] };
  const failed = tests.find(({ dial }) => dial?.layers && !connects(dial));
  return { ...(failed ? blocked(evidence, peer, failed) : throughOrUnknown(evidence, peer)), proof };
}

function blocked(
  { machine, facts, tests }: Evidence,
  peer: WizardMachine,
  test: PortTest,
): Omit<Findings, "proof"> {
  const { address, kind, listener, dial, listening, others } = test;
  const explanation = explainRoute({
    from: peer,
    to: machine,
    address,
    kind,
    via: "direct",
    layers: dial?.layers ?? [],
    ...(kind === "task" && { task: { name: listener } }),
    ...(listening !== undefined && { listening }),
    otherPortAnswers: tests.some((one) => one.dial !== undefined && connects(one.dial)),
    othersReach: others.filter(connects).map(({ from }) => from),
    ...(facts && { firewall: facts }),
    wizard: true,
  });
  if (!explanation) {
    return { headline: `${peer.name} does not reach ${machine.name}`, explanation: layersText(dial) };
  }
  const { message, reason, remedy } = explanation.problem;
  if (explanation.firewallOf !== machine.id) {
    return { headline: withoutStop(message), explanation: sentences(reason, remedy) };
  }
  const silent = layerOf(dial?.layers, "tcp")?.cause === "timed-out";
  const guessed = /probably/i.test(`${message} ${reason ?? ""}`);
  const does = `${machine.name}'s firewall ${silent ? "drops" : "rejects"} the connection`;
  return { headline: guessed ? `Probably ${does}` : does, explanation: sentences(message, reason) };
}

function throughOrUnknown({ machine, tests }: Evidence, peer: WizardMachine): Omit<Findings, "proof"> {
  const untried = tests.find(({ dial }) => dial?.why !== undefined)?.dial?.why;
  if (untried !== undefined) {
    return {
      headline: `It is not known whether ${peer.name} reaches ${machine.name}`,
      explanation: `${sentence(untried)} The rules can be changed all the same.`,
    };
  }
  return {
    headline: `${peer.name} reaches ${machine.name}`,
    explanation: "Every port that was tested is open, so no rule is missing.",
  };
}

/** Nobody is there to test from: only the firewall itself can be asked. */
function withoutPeer({ machine, facts, tests }: Evidence): Omit<Findings, "proof"> {
  const nobody = "No other machine is there yet to test from.";
  if (!facts) return { headline: `${machine.name}'s firewall is not known`, explanation: nobody };
  if (facts.problem) {
    return {
      headline: `${facts.name} on ${machine.name} may keep others out`,
      explanation: `${nobody} ${sentence(facts.problem.message)} ${facts.problem.reason ?? ""}`.trim(),
    };
  }
  if (!facts.active) {
    return {
      headline: `Nothing on ${machine.name} blocks connections`,
      explanation: `${nobody} If others cannot connect, something between the machines is in the way.`,
    };
  }
  const ports = portText(portRanges(tests.map(({ port }) => port)));
  const wanted = `${ports === "" ? "" : `TCP ${ports}, `}UDP 5353 for discovery and ping`;
  if (facts.ownRules.length === 0) {
    return {
      headline: `${facts.name} on ${machine.name} lets in only what its rules say`,
      explanation: `${nobody} No rule of Tensordeck is there, so ${wanted} are probably closed.`,
    };
  }
  return {
    headline: `${facts.name} on ${machine.name} has rules for Tensordeck`,
    explanation: `${nobody} The next step shows what would change for ${wanted}.`,
  };
}

/** Step 4: what the other machine and the firewall itself say after the change. */
export function verify(
  evidence: Evidence,
  plan: FirewallPlan | undefined,
  apply: FirewallApply["state"] | undefined,
): { readonly findings: Findings; readonly passed: boolean } {
  const { machine, peer, facts, tests } = evidence;
  const undone = apply === "undone";
  const proof = [
    ...peerProof(evidence, tests),
    ...(undone ? ownRulesProof(evidence) : ruleProof(machine, facts, plan)),
    ...(facts?.tool === "windows" ? [publicProof] : []),
  ];
  const passed = proof.length > 0 && !proof.some(({ outcome }) => outcome === "failed");
  if (undone) return { findings: { ...undoneFindings(evidence), proof }, passed };
  // Without a word of the firewall and without a peer nothing is proved.
  const proved = passed && proof.some(({ outcome }) => outcome === "ok");
  return {
    findings: { ...(proved ? passedWords(machine, peer) : stillBlocked(evidence)), proof },
    passed: proved,
  };
}

const publicProof: Proof = {
  what: "Public profile",
  outcome: "ok",
  detail: "still closed: all rules are for the Private profile",
};

function passedWords(machine: WizardMachine, peer: WizardMachine | undefined): Omit<Findings, "proof"> {
  return peer
    ? {
        headline: `${peer.name} reaches ${machine.name}`,
        explanation: `Tested from ${peer.name} after the rules were added, and read from the firewall without an administrator's rights.`,
      }
    : {
        headline: `The rules are in place on ${machine.name}`,
        explanation:
          "Read from the firewall without an administrator's rights. No other machine is there yet to test from.",
      };
}

function stillBlocked(evidence: Evidence): Omit<Findings, "proof"> {
  const { machine, peer, tests } = evidence;
  const failed = tests.find(({ dial }) => dial?.layers && !connects(dial));
  if (peer && failed) {
    const { explanation } = blocked(evidence, peer, failed);
    return { headline: `${peer.name} still does not reach ${machine.name}`, explanation };
  }
  return {
    headline: `The rules are not known to be in place on ${machine.name}`,
    explanation: evidence.facts?.problem
      ? sentence(evidence.facts.problem.message)
      : "Test again once the command has run.",
  };
}

function undoneFindings({ machine, peer, tests }: Evidence): Omit<Findings, "proof"> {
  const open = tests.some(({ dial }) => dial !== undefined && connects(dial));
  return {
    headline: `The rules were removed from ${machine.name}`,
    explanation:
      peer && open
        ? `${peer.name} still gets through, so another rule or none at all decides that.`
        : "The firewall is as it was before, except for Block rules that were removed.",
  };
}

function peerProof({ machine, peer }: Evidence, tests: readonly PortTest[]): Proof[] {
  if (!peer) return [];
  const ping = tests.map(({ dial }) => layerOf(dial?.layers, "ping")).find((layer) => layer !== undefined);
  const pings: Proof[] =
    ping === undefined
      ? []
      : [
          {
            what: `${peer.name} → ${machine.name}`,
            // Many machines that are up answer no ping.
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

function listeningProof({ machine, tests }: Evidence): Proof[] {
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

function othersProof({ machine, tests }: Evidence): Proof[] {
  return tests.flatMap(({ port, others }) => others.map((dial) => dialProof(machine, port, dial)));
}

function ruleProof(
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

function ownRulesProof({ machine, facts }: Evidence): Proof[] {
  if (!facts?.active) return [];
  const what = `Rules of Tensordeck on ${machine.name}`;
  if (facts.problem) return [{ what, outcome: "unknown", detail: facts.problem.message }];
  return facts.ownRules.length === 0
    ? [{ what, outcome: "unknown", detail: "none" }]
    : facts.ownRules.map((detail) => ({ what, outcome: "ok", detail }));
}

function layersText(dial: Dial | undefined): string {
  const failure = dial?.layers?.find(({ layer, outcome }) => layer !== "ping" && outcome === "failed");
  return failure?.detail ?? dial?.why ?? "no connection";
}

function sentences(...parts: readonly (string | undefined)[]): string {
  return parts.flatMap((part) => (part === undefined ? [] : sentence(part))).join(" ");
}

/** A headline is no sentence. */
function withoutStop(text: string): string {
  return text.replace(/\.$/, "");
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
