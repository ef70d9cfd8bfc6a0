/** The conclusions from tests and facts, in words. Pure. */
import type { FirewallPlan } from "../../../api/firewall.js";
import { explainRoute } from "../../reachability/explain.js";
import { layerOf } from "../../reachability/layers/result.js";
import { portRanges, portText } from "../ports.js";
import type { WizardMachine } from "./wizard-machine.js";
import {
  type Evidence,
  layersText,
  listeningProof,
  othersProof,
  ownRulesProof,
  peerProof,
  publicProof,
  ruleProof,
} from "./wizard-proof.js";
import type { Findings } from "./wizard-state.js";
import { connects, type PortTest } from "./wizard-tests.js";

export interface Verification {
  readonly findings: Findings;
  /** Everything is as intended, as far as can be seen. */
  readonly passed: boolean;
}

/** Step 1: what is blocked, with evidence. */
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
      explanation: `${sentence(untried)} The rules can still be changed.`,
    };
  }
  return {
    headline: `${peer.name} reaches ${machine.name}`,
    explanation: "Every port that was tested is open, so no rule is missing.",
  };
}

/** No machine is available for testing: only the firewall itself can be queried. */
function withoutPeer({ machine, facts, tests }: Evidence): Omit<Findings, "proof"> {
  const nobody = "There is no other machine yet to test from.";
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
      explanation: `${nobody} There is no rule of Tensordeck, so ${wanted} are probably closed.`,
    };
  }
  return {
    headline: `${facts.name} on ${machine.name} has rules for Tensordeck`,
    explanation: `${nobody} The next step shows what would change for ${wanted}.`,
  };
}

/** Step 4: what the other machine and the firewall report after the change. */
export function verify(evidence: Evidence, plan: FirewallPlan | undefined): Verification {
  const { machine, peer, facts, tests } = evidence;
  const proof = [
    ...peerProof(evidence, tests),
    ...ruleProof(machine, facts, plan),
    ...(facts?.tool === "windows" ? [publicProof] : []),
  ];
  // Without an answer from the firewall and without a peer nothing is verified.
  const passed =
    !proof.some(({ outcome }) => outcome === "failed") && proof.some(({ outcome }) => outcome === "ok");
  const words = passed ? passedWords(machine, peer) : stillBlocked(evidence);
  return { findings: { ...words, proof }, passed };
}

/** Step 4 of the undo: whether the rules are gone. That connections fail afterwards is expected. */
export function verifyUndone(evidence: Evidence): Verification {
  const { machine, facts, tests } = evidence;
  const left = facts && !facts.problem ? facts.ownRules : [];
  const words = left.length === 0 ? undoneWords(evidence) : leftWords(machine, left);
  return {
    findings: { ...words, proof: [...peerProof(evidence, tests), ...ownRulesProof(evidence)] },
    passed: left.length === 0,
  };
}

function leftWords(machine: WizardMachine, left: readonly string[]): Omit<Findings, "proof"> {
  return {
    headline: `The rules are still there on ${machine.name}`,
    explanation: `${sentence(left.join("; "))} Test again once the command has run.`,
  };
}

function passedWords(machine: WizardMachine, peer: WizardMachine | undefined): Omit<Findings, "proof"> {
  return peer
    ? {
        headline: `${peer.name} reaches ${machine.name}`,
        explanation: `Tested from ${peer.name} after the rules were added, and read from the firewall without an administrator's rights.`,
      }
    : {
        headline: `The rules are in place on ${machine.name}`,
        explanation:
          "Read from the firewall without an administrator's rights. There is no other machine yet to test from.",
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

function undoneWords({ machine, peer, tests }: Evidence): Omit<Findings, "proof"> {
  const open = tests.some(({ dial }) => dial !== undefined && connects(dial));
  return {
    headline: `The rules were removed from ${machine.name}`,
    explanation:
      peer && open
        ? `${peer.name} still gets through, so another rule or none at all decides that.`
        : "The firewall is as it was before, except for Block rules that were removed.",
  };
}

function sentences(...parts: readonly (string | undefined)[]): string {
  return parts.flatMap((part) => (part === undefined ? [] : sentence(part))).join(" ");
}

/** A headline has no full stop. */
function withoutStop(text: string): string {
  return text.replace(/\.$/, "");
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
