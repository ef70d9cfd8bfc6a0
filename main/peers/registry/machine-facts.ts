/** The facts about a machine, assembled from its agent, its announcement and saved state. Pure. */

import type { MachineFacts } from "../../api/machines.js";
import type { Problem } from "../../api/problem.js";
import { agentAddresses } from "../../machine/agent-addresses.js";
import { cloneProblem } from "../../machine/clone-problem.js";
import { unknownMachine } from "../../machine/description.js";
import { defined } from "../../shared/problems.js";
import type { Sighting } from "../discovery/sighting.js";
import type { TrustedMachine } from "../trust/trusted-machine.js";
import type { AddedMachine } from "./added-machines.js";

/** Addresses at which a machine may be reached, by source. */
export interface Whereabouts {
  readonly trusted?: TrustedMachine | undefined;
  readonly sighting?: Sighting | undefined;
  readonly added?: AddedMachine | undefined;
  /** Hosts that its agent reported. */
  readonly described?: Pick<MachineFacts, "addresses" | "agentPort"> | undefined;
}

/** "host:port" of its agent, each once: announced ones first, since those are current. */
export function knownAgentAddresses({ trusted, sighting, added, described }: Whereabouts): string[] {
  return unique([
    ...(sighting ? agentAddresses({ addresses: sighting.addresses, agentPort: sighting.port }) : []),
    ...(added ? [added.address] : []),
    ...(trusted ? agentAddresses(trusted) : []),
    ...(described ? agentAddresses(described) : []),
  ]);
}

/** Hosts by which others may reach it, each once: those that it reports itself first. */
function hostsOf({ trusted, sighting, added, described }: Whereabouts): string[] {
  return unique([
    ...(described?.addresses ?? []),
    ...(sighting?.addresses ?? []),
    ...(added ? [added.host] : []),
    ...(trusted?.addresses ?? []),
  ]);
}

/**
 * An unpaired machine: what it announces, or what it answered at an added address.
 *
 * @param isListening Whether anything listens at the announced address of its agent.
 */
export function discoveredFacts(
  sighting: Sighting | undefined,
  added: AddedMachine | undefined,
  isListening: boolean,
): MachineFacts {
  const id = sighting?.deviceId ?? added?.deviceId ?? "";
  const name = sighting?.name || added?.name || added?.host || id;
  const answers = sighting ? isListening : added?.answers === true;
  return defined({
    id,
    name,
    kind: "discovered" as const,
    presence: answers ? ("online" as const) : ("offline" as const),
    ...unknownMachine(),
    addresses: hostsOf({ sighting, added }),
    agentPort: sighting?.port ?? added?.port,
    version: sighting?.version ?? "",
    lastSeenAt: answers ? undefined : (sighting?.lastSeenAt ?? added?.lastSeenAt),
    problem: answers ? undefined : noAnswer(name, sighting !== undefined),
  });
}

/** A paired machine. @param said What its agent last reported, and whether it answers. */
export function pairedFacts(
  said: Omit<MachineFacts, "kind" | "grantedRole">,
  trusted: TrustedMachine,
  sighting: Sighting | undefined,
  ownVersion: string,
): MachineFacts {
  const name = said.name || sighting?.name || trusted.name;
  const version = said.version || sighting?.version || "";
  const isOffline = said.presence === "offline";
  return defined({
    ...said,
    name,
    kind: "paired" as const,
    addresses: hostsOf({ trusted, sighting, described: said }),
    agentPort: said.agentPort ?? sighting?.port ?? trusted.agentPort,
    version,
    role: said.role ?? trusted.role,
    grantedRole: trusted.grantedRole,
    problem:
      said.problem ??
      (isOffline ? noAnswer(name, sighting !== undefined) : otherVersion(name, version, ownVersion)),
  });
}

function noAnswer(name: string, isAnnounced: boolean): Problem {
  return {
    code: "UNAVAILABLE",
    message: `${name} does not answer.`,
    reason: isAnnounced
      ? "It announced itself on the network, but its agent's port does not answer: it has just gone, or a firewall blocks the port."
      : "It is off, asleep, on another network, or Tensordeck is not running there.",
    remedy: isAnnounced
      ? "If it is running, open the agent's port there with the firewall wizard."
      : "Start it, or check that both machines are on the same network.",
  };
}

/** Versions that differ in their first two numbers may not understand each other. */
function otherVersion(name: string, theirs: string, own: string): Problem | undefined {
  const release = (version: string) => version.split(".").slice(0, 2).join(".");
  if (theirs === "" || own === "" || release(theirs) === release(own)) return undefined;
  return {
    code: "FAILED_PRECONDITION",
    message: `${name} has Tensordeck ${theirs}, this machine ${own}.`,
    reason: "They may not understand each other's messages.",
    remedy: "Install the same version on both machines.",
  };
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/**
 * The problem of a machine that shares its identity with others.
 * @param addresses Their addresses, "host:port" each.
 */
export function withClones(facts: MachineFacts, addresses: readonly string[]): MachineFacts {
  return { ...facts, clones: [...addresses], problem: cloneProblem(facts, addresses) };
}
