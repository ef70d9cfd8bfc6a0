/** The queries to Windows' firewall without administrator rights, and the parsing of the result. */
import { z } from "zod";
import { canonicalAddress } from "../../../../worker-runtime/cluster/host.js";
import { literals } from "../../../shared/powershell-literal.js";
import { problem } from "../../../shared/problems.js";
import { portsIn } from "../ports.js";
import { type KeptRule, type Protocol, type RuleName, ruleNames } from "../rules.js";
import { exitCodes } from "./exit-codes.js";
import { findRule, preamble } from "./powershell.js";
import { formerNames, ownRuleNames, taggedRuleName, windowsRuleNames } from "./rule-script.js";

/**
 * Prints one line of JSON.
 *
 * @param tag Identifies the rules of this installation.
 * @param programs Full paths of the programs that listen for Tensordeck; the script looks for their Block rules.
 */
export function inspectScript(programs: readonly string[], tag: string): string {
  return `${preamble}${findRule}try {
[Console]::OutputEncoding = New-Object -TypeName System.Text.UTF8Encoding -ArgumentList $false
$programs = @(${literals(programs)})
$identity = [System.Security.Principal.WindowsIdentity]::GetCurrent()
$principal = New-Object -TypeName System.Security.Principal.WindowsPrincipal -ArgumentList $identity
$session = [System.Diagnostics.Process]::GetCurrentProcess().SessionId
$adapters = @(Get-NetConnectionProfile -ErrorAction SilentlyContinue | ForEach-Object -Process {
  $addresses = @(Get-NetIPAddress -InterfaceIndex $_.InterfaceIndex -ErrorAction SilentlyContinue)
  @{
    name = [string]$_.InterfaceAlias
    profile = [string]$_.NetworkCategory
    addresses = @($addresses | ForEach-Object -Process { [string]$_.IPAddress })
  }
})
$profiles = @(Get-NetFirewallProfile -PolicyStore ActiveStore | ForEach-Object -Process {
  @{
    name = [string]$_.Name
    enabled = [string]$_.Enabled
    inbound = [string]$_.DefaultInboundAction
    allowed = [string]$_.AllowInboundRules
    local = [string]$_.AllowLocalFirewallRules
  }
})
$blocking = @()
foreach ($filter in Get-NetFirewallApplicationFilter -All) {
  $program = [Environment]::ExpandEnvironmentVariables([string]$filter.Program)
  if ($programs -notcontains $program) { continue }
  foreach ($rule in Get-NetFirewallRule -AssociatedNetFirewallApplicationFilter $filter) {
    if ([string]$rule.Action -ne 'Block' -or [string]$rule.Direction -ne 'Inbound') { continue }
    if ([string]$rule.Enabled -ne 'True') { continue }
    $blocking += @{ id = [string]$rule.Name; name = [string]$rule.DisplayName; program = $program }
  }
}
$own = @()
foreach ($name in ${literals([...ownRuleNames(tag), ...formerNames])}) {
  $rule = Find-Rule -Name $name
  if (-not $rule -or [string]$rule.Group -cne 'Tensordeck') { continue }
  $ports = @(Get-NetFirewallPortFilter -AssociatedNetFirewallRule $rule)
  $addresses = @(Get-NetFirewallAddressFilter -AssociatedNetFirewallRule $rule)
  $own += @{
    name = $name
    enabled = [string]$rule.Enabled
    action = [string]$rule.Action
    profile = [string]$rule.Profile
    ports = @($ports | ForEach-Object -Process { $_.LocalPort } | ForEach-Object -Process { [string]$_ })
    from = @($addresses | ForEach-Object -Process { $_.RemoteAddress } | ForEach-Object -Process { [string]$_ })
  }
}
ConvertTo-Json -Compress -Depth 5 -InputObject @{
  elevated = $principal.IsInRole([System.Security.Principal.WindowsBuiltInRole]::Administrator)
  interactive = [Environment]::UserInteractive -and $session -ne 0
  adapters = $adapters
  profiles = $profiles
  blocking = $blocking
  own = $own
}
} catch {
  [Console]::Error.WriteLine($_.Exception.Message)
  exit ${exitCodes.notInspected}
}
`;
}

const adapterSchema = z.object({ name: z.string(), profile: z.string(), addresses: z.array(z.string()) });
const profileSchema = z.object({
  name: z.string(),
  /** "True", "False" */
  enabled: z.string(),
  /** "Block", "Allow", "NotConfigured" */
  inbound: z.string(),
  /** "False": nothing at all is allowed, regardless of the rules. */
  allowed: z.string(),
  /** "False": only rules from a policy apply. */
  local: z.string(),
});
const ownRuleSchema = z.object({
  name: z.string(),
  enabled: z.string(),
  action: z.string(),
  profile: z.string(),
  ports: z.array(z.string()),
  from: z.array(z.string()),
});

const answerSchema = z.object({
  elevated: z.boolean(),
  interactive: z.boolean(),
  adapters: z.array(adapterSchema),
  profiles: z.array(profileSchema),
  blocking: z.array(z.object({ id: z.string(), name: z.string(), program: z.string() })),
  own: z.array(ownRuleSchema),
});
export type WindowsAnswer = z.infer<typeof answerSchema>;

/** @throws ProblemError UNKNOWN when it is not the script's output. */
export function readAnswer(stdout: string): WindowsAnswer {
  try {
    return answerSchema.parse(JSON.parse(stdout));
  } catch (error) {
    throw problem("UNKNOWN", "Windows did not say how its firewall is set up.", {
      remedy: "See the details, then test again.",
      details: `${String(error)}\n${stdout}`.slice(0, 2000),
    });
  }
}

/** Tensordeck's rules that are in effect. */
export function keptRules(answer: WindowsAnswer, tag: string): KeptRule[] {
  return answer.own.flatMap(({ name, enabled, action, profile, ports, from }): KeptRule[] => {
    const known = ruleNameOf(name, tag);
    if (known === undefined || enabled !== "True" || action !== "Allow") return [];
    return from.map((source) => ({
      name: known,
      protocol: protocols[known],
      ports: known === ruleNames.ping ? [] : portsIn(ports.join(",")),
      from: canonicalAddress(source) ?? source,
      profile,
    }));
  });
}

const protocols: Readonly<Record<RuleName, Protocol>> = {
  [ruleNames.agent]: "tcp",
  [ruleNames.tasks]: "tcp",
  [ruleNames.discovery]: "udp",
  [ruleNames.ping]: "ping",
};

function ruleNameOf(name: string, tag: string): RuleName | undefined {
  return Object.values(ruleNames).find((one) =>
    windowsRuleNames[one].some((known) => name === known || name === taggedRuleName(known, tag)),
  );
}
