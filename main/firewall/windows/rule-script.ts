/** The script that makes Tensordeck's rules, and the one that removes them. Both are shown before they are run. */
import type { FirewallFacts, FirewallScope } from "../../api/firewall.js";
import { familyOf, peerNetwork } from "../addresses.js";
import { titles } from "../notes.js";
import { portText } from "../ports.js";
import type { Opening, Protocol } from "../rules.js";
import { ruleNames } from "../rules.js";
import { exitCodes } from "./elevate-script.js";
import { literal, literals } from "./powershell.js";

/** Windows knows its rules by name; the names shown to the user are others. Ping has one rule for each family. */
export const windowsRuleNames = {
  [ruleNames.agent]: ["Tensordeck-Agent-TCP"],
  [ruleNames.tasks]: ["Tensordeck-Tasks-TCP"],
  [ruleNames.discovery]: ["Tensordeck-mDNS-UDP"],
  [ruleNames.ping]: ["Tensordeck-Ping", "Tensordeck-Ping-IPv6"],
} as const satisfies Record<Opening["name"], readonly string[]>;

const allNames: readonly string[] = Object.values(windowsRuleNames).flat();

/** Networks that Windows counts as the local one, by whatever adapter. */
export const LOCAL_SUBNET = "LocalSubnet";

/** What the rule's address condition says. @throws ProblemError INVALID_ARGUMENT when the peer is no address. */
export function remoteAddress(scope: FirewallScope): string {
  return scope.kind === "subnet" ? LOCAL_SUBNET : peerNetwork(scope.address).text;
}

const ICMP_PINGS = [
  { family: "ipv4", name: windowsRuleNames[ruleNames.ping][0], protocol: "ICMPv4", type: 8 },
  { family: "ipv6", name: windowsRuleNames[ruleNames.ping][1], protocol: "ICMPv6", type: 128 },
] as const;

const PORT_PROTOCOLS: Readonly<Record<Exclude<Protocol, "ping">, string>> = { tcp: "TCP", udp: "UDP" };

/**
 * @param blockRules Rules to remove, as they were found; a rule that is no longer a Block rule is left alone.
 */
export function ruleScript(
  wanted: readonly Opening[],
  scope: FirewallScope,
  blockRules: FirewallFacts["blockRules"],
): string {
  const from = remoteAddress(scope);
  return guarded(titles.apply, [
    removeOwn(),
    ...(blockRules.length > 0 ? removeBlocking(blockRules.map(({ id }) => id)) : []),
    ...wanted.flatMap((opening) => newRules(opening, from)),
  ]);
}

/** A rule that could not be removed is told, one that was not there is not. */
export function removeScript(): string {
  return guarded(titles.undo, [
    removeOwn(),
    [
      `foreach ($name in ${literals(allNames)}) {`,
      '  if (Get-NetFirewallRule -Name $name -ErrorAction SilentlyContinue) { throw "$name is still there." }',
      "}",
    ].join("\n"),
  ]);
}

function newRules({ name, protocol, ports }: Opening, from: string): string[] {
  if (protocol !== "ping") {
    const [ruleName] = windowsRuleNames[name];
    const local = ports.map((range) => portText([range], ",", "-"));
    return [
      newRule(ruleName, name, `-Protocol ${PORT_PROTOCOLS[protocol]} -LocalPort ${literals(local)}`, from),
    ];
  }
  return ICMP_PINGS.filter(({ family }) => from === LOCAL_SUBNET || familyOf(from) === family).map((ping) =>
    newRule(ping.name, name, `-Protocol ${ping.protocol} -IcmpType ${ping.type}`, from),
  );
}

function newRule(name: string, displayName: string, condition: string, from: string): string {
  return [
    `New-NetFirewallRule -Name ${literal(name)} -DisplayName ${literal(displayName)} -Group 'Tensordeck' \``,
    `  -Direction Inbound -Action Allow -Profile Private -RemoteAddress ${literal(from)} \``,
    `  ${condition} | Out-Null`,
  ].join("\n");
}

/** Each by itself: one that is missing must not keep the others. */
function removeOwn(): string {
  return [
    `foreach ($name in ${literals(allNames)}) {`,
    "  Remove-NetFirewallRule -Name $name -ErrorAction SilentlyContinue",
    "}",
  ].join("\n");
}

function removeBlocking(ids: readonly string[]): string[] {
  return [
    `$blocking = @(${literals(ids)})`,
    [
      "Get-NetFirewallRule -Direction Inbound -Action Block -ErrorAction SilentlyContinue |",
      "  Where-Object -FilterScript { $blocking -ccontains $_.Name } | Remove-NetFirewallRule",
    ].join("\n"),
  ];
}

function guarded(title: string, statements: readonly string[]): string {
  const body = statements.map((statement) => statement.replace(/^/gm, "  ")).join("\n");
  return [
    `# ${title}`,
    "$ErrorActionPreference = 'Stop'",
    "try {",
    body,
    "} catch {",
    "  [Console]::Error.WriteLine($_.Exception.Message)",
    `  exit ${exitCodes.failed}`,
    "}",
    `exit ${exitCodes.applied}`,
    "",
  ].join("\n");
}
