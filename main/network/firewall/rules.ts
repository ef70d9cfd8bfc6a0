/** The openings that are needed, the same on every system, and existing rules in a form that can be compared. */
import type { FirewallFacts, FirewallPlan, FirewallRule } from "../../api/firewall.js";
import type { Network } from "./addresses.js";
import { type PortRange, portRanges, portText } from "./ports.js";

const MDNS_PORT = 5353;

/** Rules are recognised by these names, so they never change. */
export const ruleNames = {
  agent: "Tensordeck agent",
  tasks: "Tensordeck tasks",
  discovery: "Tensordeck discovery",
  ping: "Tensordeck ping",
} as const;
export type RuleName = (typeof ruleNames)[keyof typeof ruleNames];

const knownNames: ReadonlySet<string> = new Set(Object.values(ruleNames));

/** Whether a rule is one that this wizard makes, by its name. */
export function isRuleName(name: string): name is RuleName {
  return knownNames.has(name);
}

export type Protocol = "tcp" | "udp" | "ping";

/** One opening, without the addresses that may use it. */
export interface Opening {
  readonly name: RuleName;
  readonly protocol: Protocol;
  /** Empty for a ping. */
  readonly ports: readonly PortRange[];
  readonly purpose: string;
}

/**
 * The agent's port and the tasks' ports, discovery and ping.
 *
 * @param agentPort Undefined while the agent does not listen.
 * @throws ProblemError INVALID_ARGUMENT for an invalid port.
 */
export function openings(ports: readonly number[], agentPort: number | undefined): Opening[] {
  const taskPorts = portRanges(ports.filter((port) => port !== agentPort));
  const wanted: Opening[] = [];
  if (agentPort !== undefined) {
    wanted.push({
      name: ruleNames.agent,
      protocol: "tcp",
      ports: portRanges([agentPort]),
      purpose: "Paired machines start tasks here and send tensors through encrypted tunnels.",
    });
  }
  if (taskPorts.length > 0) {
    wanted.push({
      name: ruleNames.tasks,
      protocol: "tcp",
      ports: taskPorts,
      purpose: "Other tasks and scripts connect to the tasks of this machine.",
    });
  }
  return [
    ...wanted,
    {
      name: ruleNames.discovery,
      protocol: "udp",
      ports: [{ first: MDNS_PORT, last: MDNS_PORT }],
      purpose: "Machines find each other (mDNS).",
    },
    { name: ruleNames.ping, protocol: "ping", ports: [], purpose: "Others can see that the machine is up." },
  ];
}

const protocolNames: Readonly<Record<Protocol, string>> = { tcp: "TCP", udp: "UDP", ping: "ICMP echo" };

/** An opening as the window lists it. @param from Who is allowed, in words. */
export function firewallRule(opening: Opening, from: string, profile = ""): FirewallRule {
  return {
    name: opening.name,
    protocol: protocolNames[opening.protocol],
    ports: portText(opening.ports),
    from,
    profile,
    purpose: opening.purpose,
  };
}

/** "192.168.1.0/24, fe80::/10" */
export function sourceText(networks: readonly Network[]): string {
  return [...new Set(networks.map(({ text }) => text))].sort().join(", ");
}

/** One rule in a line: "Tensordeck tasks: TCP 2222–2225 from 192.168.1.0/24, Private". */
export function ruleText({ name, protocol, ports, from, profile }: Omit<FirewallRule, "purpose">): string {
  const what = ports === "" ? protocol : `${protocol} ${ports}`;
  return `${name}: ${what} from ${from}${profile === "" ? "" : `, ${profile}`}`;
}

/** A rule of Tensordeck as a firewall stores it: often one for each source and for some of the ports. */
export interface KeptRule {
  readonly name: RuleName;
  readonly protocol: Protocol;
  readonly ports: readonly number[];
  readonly from: string;
  readonly profile: string;
}

/** The stored rules, merged back into their planned form; each as `ruleText` formats it. */
export function ownRuleTexts(kept: readonly KeptRule[]): string[] {
  const bySource = gather(
    kept,
    ({ name, protocol, from, profile }) => JSON.stringify([name, protocol, from, profile]),
    (rules) => ({ ...rules[0], text: portText(portRanges(rules.flatMap(({ ports }) => ports))) }),
  );
  return gather(
    bySource,
    ({ name, protocol, text, profile }) => JSON.stringify([name, protocol, text, profile]),
    (rules) => {
      const { name, protocol, text, profile } = rules[0];
      const from = [...new Set(rules.map((rule) => rule.from))].sort().join(", ");
      return ruleText({ name, protocol: protocolNames[protocol], ports: text, from, profile });
    },
  ).sort();
}

function gather<T, R>(
  items: readonly T[],
  keyOf: (item: T) => string,
  join: (items: readonly [T, ...T[]]) => R,
): R[] {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return [...groups.values()].map(join);
}

/** Whether everything is already as planned, without any further rules of ours. */
export function isInPlace(facts: FirewallFacts, plan: FirewallPlan): boolean {
  if (facts.problem || plan.removals.length > 0) return false;
  const wanted = plan.rules.map(ruleText).sort();
  const own = [...facts.ownRules].sort();
  return wanted.length === own.length && wanted.every((text, index) => text === own[index]);
}
