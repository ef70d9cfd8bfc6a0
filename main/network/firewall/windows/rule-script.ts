/** The script that creates Tensordeck's rules, and the one that removes them. Both are shown before they are run. */
import { createHash } from "node:crypto";
import type { FirewallFacts, FirewallScope } from "../../../api/firewall.js";
import { literal, literals } from "../../../shared/powershell-literal.js";
import { familyOf, peerNetwork } from "../addresses.js";
import { titles } from "../notes.js";
import { portText } from "../ports.js";
import type { Opening, Protocol } from "../rules.js";
import { ruleNames } from "../rules.js";
import { changeScript, NEW_SUFFIX, type RuleChange } from "./change-script.js";
import { exitCodes } from "./exit-codes.js";

/**
 * Windows identifies rules by these names; the names shown to the user are different. Ping has one rule for each
 * family.
 */
export const windowsRuleNames = {
  [ruleNames.agent]: ["Tensordeck-Agent-TCP"],
  [ruleNames.tasks]: ["Tensordeck-Tasks-TCP"],
  [ruleNames.discovery]: ["Tensordeck-mDNS-UDP"],
  [ruleNames.ping]: ["Tensordeck-Ping", "Tensordeck-Ping-IPv6"],
} as const satisfies Record<Opening["name"], readonly string[]>;

/** The names of versions without tags. */
export const formerNames: readonly string[] = Object.values(windowsRuleNames).flat();

/** A rule's name with the tag of the installation. */
export function taggedRuleName(name: string, tag: string): string {
  return `${name}-${tag}`;
}

/** The names of all rules of an installation. */
export function ownRuleNames(tag: string): string[] {
  return formerNames.map((name) => taggedRuleName(name, tag));
}

/** Networks that Windows counts as local, on any adapter. */
export const LOCAL_SUBNET = "LocalSubnet";

/** The address condition of the rule. @throws ProblemError INVALID_ARGUMENT when the peer is no address. */
export function remoteAddress(scope: FirewallScope): string {
  return scope.kind === "subnet" ? LOCAL_SUBNET : peerNetwork(scope.address).text;
}

const ICMP_PINGS = [
  { family: "ipv4", name: windowsRuleNames[ruleNames.ping][0], protocol: "ICMPv4", type: 8 },
  { family: "ipv6", name: windowsRuleNames[ruleNames.ping][1], protocol: "ICMPv6", type: 128 },
] as const;

const PORT_PROTOCOLS: Readonly<Record<Exclude<Protocol, "ping">, string>> = { tcp: "TCP", udp: "UDP" };

/**
 * @param blockRules Rules to remove, as found. The length of the script does not depend on their number: it looks for
 *   them again by program, and removes none if they differ from these.
 */
export function ruleScript(
  wanted: readonly Opening[],
  scope: FirewallScope,
  blockRules: FirewallFacts["blockRules"],
  tag: string,
): string {
  const from = remoteAddress(scope);
  return changeScript({
    title: titles.apply,
    ...replacedRules(tag),
    made: wanted.flatMap((opening) => newRules(opening, from, tag)),
    findBlocking: blockRules.length > 0 ? findBlocking(blockRules) : [],
  });
}

export function removeScript(tag: string): string {
  return changeScript({ title: titles.undo, ...replacedRules(tag), made: [], findBlocking: [] });
}

/** Rules without a tag are those of earlier versions, and of anybody who chose their names. */
function replacedRules(tag: string) {
  return { own: ownRuleNames(tag), former: formerNames };
}

function newRules({ name, protocol, ports }: Opening, from: string, tag: string): RuleChange["made"] {
  if (protocol !== "ping") {
    const ruleName = taggedRuleName(windowsRuleNames[name][0], tag);
    const local = ports.map((range) => portText([range], ",", "-"));
    return [
      newRule(ruleName, name, `-Protocol ${PORT_PROTOCOLS[protocol]} -LocalPort ${literals(local)}`, from),
    ];
  }
  return ICMP_PINGS.filter(({ family }) => from === LOCAL_SUBNET || familyOf(from) === family).map((ping) =>
    newRule(taggedRuleName(ping.name, tag), name, `-Protocol ${ping.protocol} -IcmpType ${ping.type}`, from),
  );
}

function newRule(
  name: string,
  displayName: string,
  condition: string,
  from: string,
): RuleChange["made"][number] {
  const command = [
    `New-NetFirewallRule -Name ${literal(name + NEW_SUFFIX)} -DisplayName ${literal(displayName)} -Group 'Tensordeck' \``,
    `  -Direction Inbound -Action Allow -Profile Private -RemoteAddress ${literal(from)} \``,
    `  ${condition} | Out-Null`,
  ].join("\n");
  return { name, command };
}

/** Identifies a list of rules, of any length. The script computes the same from the rules that it finds. */
function fingerprint(ids: readonly string[]): string {
  const sorted = [...new Set(ids)].sort((a, b) => (a < b ? -1 : 1));
  return createHash("sha256").update(sorted.join("\n"), "utf16le").digest("base64");
}

/** Sets $blocking to the Block rules of the programs, or ends the script if they are not those that were listed. */
function findBlocking(blockRules: FirewallFacts["blockRules"]): string[] {
  const programs = [...new Set(blockRules.map(({ program }) => program))];
  return [
    `$programs = @(${literals(programs)})`,
    [
      "$blocking = @(Get-NetFirewallApplicationFilter -All | Where-Object -FilterScript {",
      "  $programs -contains [Environment]::ExpandEnvironmentVariables([string]$_.Program)",
      "} | Get-NetFirewallRule | Where-Object -FilterScript {",
      "  [string]$_.Action -eq 'Block' -and [string]$_.Direction -eq 'Inbound' -and [string]$_.Enabled -eq 'True'",
      "})",
    ].join("\n"),
    "$ids = [string[]]@($blocking | ForEach-Object -Process { [string]$_.Name })",
    "[Array]::Sort($ids, [StringComparer]::Ordinal)",
    "$bytes = [Text.Encoding]::Unicode.GetBytes([string]::Join([string][char]10, $ids))",
    "$hash = [Convert]::ToBase64String([Security.Cryptography.SHA256]::Create().ComputeHash($bytes))",
    `if ($hash -cne ${literal(fingerprint(blockRules.map(({ id }) => id)))}) { exit ${exitCodes.blockRulesChanged} }`,
  ];
}
