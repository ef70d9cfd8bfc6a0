/**
 * A change of the rules that is whole: new rules are made under names of their own, the earlier ones are disabled under other
 * names, the new ones get theirs, and the Block rules are disabled. Until then everything can be undone, and is if a step
 * fails. Only what is disabled is removed at the end.
 */
import { literals } from "../../../shared/powershell-literal.js";
import {
  BROKEN_CHANGE,
  type ChangeStep,
  changeSteps,
  exitCodes,
  FAILED_CHANGE,
  failureCauses,
} from "./exit-codes.js";
import { findRule, NOT_FOUND_ERROR, preamble } from "./powershell.js";

/** The ends of a rule's name while it is not in force yet, and once it no longer is. */
export const NEW_SUFFIX = "-new";
export const OLD_SUFFIX = "-old";

/** ERROR_ACCESS_DENIED and ERROR_ACCESS_DISABLED_BY_POLICY, as the cmdlets' error IDs name them. */
const NO_RIGHTS_ERROR = "System Error 5,";
const POLICY_ERROR = "System Error 1260,";

export interface RuleChange {
  readonly title: string;
  /** The names of the installation's rules, which are replaced. */
  readonly own: readonly string[];
  /** Names of rules that are replaced only if they are allow rules in Tensordeck's group. */
  readonly former: readonly string[];
  /** The new rules: names, and the commands that make them under the name with NEW_SUFFIX. */
  readonly made: readonly { readonly name: string; readonly command: string }[];
  /** Statements that set $blocking to the Block rules to remove, and end the script if they have changed. */
  readonly findBlocking: readonly string[];
}

/** The script, in Windows PowerShell 5.1. Its exit codes are those of exit-codes.ts. */
export function changeScript(change: RuleChange): string {
  const { title, own, former, made, findBlocking } = change;
  const lines = [
    `$own = @(${literals(own)})`,
    `$former = @(${literals(former)})`,
    `$new = @(${literals(made.map(({ name }) => name))})`,
    "$aside = @(); $named = @(); $silent = @(); $unmade = @(); $lost = @()",
    begin("read"),
    "try {",
    ...indented([
      ...findBlocking,
      ...recoverStep(),
      ...(made.length > 0 ? makeStep(made) : []),
      ...setAsideStep(),
      ...(made.length > 0 ? renameStep() : []),
      ...(findBlocking.length > 0 ? unblockStep() : []),
    ]),
    "} catch {",
    ...indented([
      "$failure = $_",
      ...(findBlocking.length > 0
        ? [`foreach ($rule in $silent) { $rule | Enable-NetFirewallRule ${GO_ON} }`]
        : []),
      ...(made.length > 0 ? removeMade() : []),
      ...restoreAside(),
      ...exitWithCause(),
    ]),
    "}",
    `foreach ($rule in $aside) { Remove-NetFirewallRule -Name "$($rule.name)${OLD_SUFFIX}" ${GO_ON} }`,
    ...(findBlocking.length > 0
      ? [`foreach ($rule in $silent) { $rule | Remove-NetFirewallRule ${GO_ON} }`]
      : []),
    `if ($lost) { exit ${exitCodes.leftBehind} }`,
    `exit ${exitCodes.applied}`,
  ];
  return `# ${title}\n${preamble}${findRule}${lines.join("\n")}\n`;
}

/** A failure is noted in $lost and does not end the script. */
const GO_ON = "-ErrorAction SilentlyContinue -ErrorVariable +lost";

function indented(statements: readonly string[]): string[] {
  return statements.map((statement) => statement.replace(/^/gm, "  "));
}

const begin = (step: ChangeStep) => `$step = ${changeSteps[step].number}`;

/** A change that was interrupted, by a power failure for example, has left rules under both kinds of names. */
function recoverStep(): string[] {
  return [
    begin("recover"),
    `foreach ($name in $own + $former) {
  Find-Rule -Name "$name${NEW_SUFFIX}" | Remove-NetFirewallRule
  $old = Find-Rule -Name "$name${OLD_SUFFIX}"
  if (-not $old) { continue }
  if (Find-Rule -Name $name) {
    $old | Remove-NetFirewallRule
  } else {
    Rename-NetFirewallRule -Name "$name${OLD_SUFFIX}" -NewName $name
    Enable-NetFirewallRule -Name $name
  }
}`,
  ];
}

function makeStep(made: RuleChange["made"]): string[] {
  return [begin("make"), ...made.map(({ command }) => command)];
}

function setAsideStep(): string[] {
  return [
    begin("setAside"),
    `foreach ($name in $own + $former) {
  $rule = Find-Rule -Name $name
  if (-not $rule) { continue }
  $isOurs = [string]$rule.Group -ceq 'Tensordeck' -and [string]$rule.Action -eq 'Allow'
  if ($former -contains $name -and -not $isOurs) { continue }
  $wasEnabled = [string]$rule.Enabled -eq 'True'
  Rename-NetFirewallRule -Name $name -NewName "$name${OLD_SUFFIX}"
  $aside += @{ name = $name; enabled = $wasEnabled }
  Disable-NetFirewallRule -Name "$name${OLD_SUFFIX}"
}`,
  ];
}

function renameStep(): string[] {
  return [
    begin("rename"),
    `foreach ($name in $new) {
  Rename-NetFirewallRule -Name "$name${NEW_SUFFIX}" -NewName $name
  $named += $name
}`,
  ];
}

function unblockStep(): string[] {
  return [
    begin("unblock"),
    `foreach ($rule in $blocking) {
  $rule | Disable-NetFirewallRule
  $silent += $rule
}`,
  ];
}

function removeMade(): string[] {
  return [
    `foreach ($name in $named) { Remove-NetFirewallRule -Name $name ${GO_ON} }`,
    `foreach ($name in $new) {
  Remove-NetFirewallRule -Name "$name${NEW_SUFFIX}" -ErrorAction SilentlyContinue -ErrorVariable +unmade
}`,
    // A rule that was not made yet, or has its name already, is not found.
    `foreach ($kept in $unmade) {
  if ($kept.FullyQualifiedErrorId -notmatch '${NOT_FOUND_ERROR}') { $lost += $kept }
}`,
  ];
}

function restoreAside(): string[] {
  return [
    `foreach ($rule in $aside) {
  Rename-NetFirewallRule -Name "$($rule.name)${OLD_SUFFIX}" -NewName $rule.name ${GO_ON}
  if ($rule.enabled) { Enable-NetFirewallRule -Name $rule.name ${GO_ON} }
}`,
  ];
}

function exitWithCause(): string[] {
  return [
    "[Console]::Error.WriteLine($failure.Exception.Message)",
    `$code = ${FAILED_CHANGE}`,
    `if ($lost) { $code = ${BROKEN_CHANGE} }`,
    `if ($failure.FullyQualifiedErrorId -match '${NO_RIGHTS_ERROR}') { $code += ${failureCauses.noRights} }`,
    `if ($failure.FullyQualifiedErrorId -match '${POLICY_ERROR}') { $code += ${failureCauses.policy} }`,
    "exit ($code + 10 * $step)",
  ];
}
