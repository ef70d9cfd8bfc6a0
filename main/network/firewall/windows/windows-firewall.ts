/** Windows Defender Firewall, through PowerShell. */
import { win32 } from "node:path";
import type { FirewallFacts, FirewallPlan } from "../../../api/firewall.js";
import type { Problem } from "../../../api/problem.js";
import { problem } from "../../../shared/problems.js";
import type { FirewallBackend, Inspection, Outcome } from "../backend.js";
import { type RunCommand, uninterrupted } from "../command.js";
import { commonNotes, type Note, ok, warning } from "../notes.js";
import { firewallRule, openings, ownRuleTexts } from "../rules.js";
import type { FirewallChange } from "../tool.js";
import { elevateScript } from "./elevate-script.js";
import { type ChangeFailure, changeSteps, exitCodes, readFailure } from "./exit-codes.js";
import { inspectScript, keptRules, readAnswer, type WindowsAnswer } from "./inspect-script.js";
import { scriptArguments } from "./powershell.js";
import { LOCAL_SUBNET, remoteAddress, removeScript, ruleScript } from "./rule-script.js";

export interface WindowsFirewallOptions {
  readonly run: RunCommand;
  /** Full path of Windows' PowerShell. */
  readonly powershell: string;
  /** Full paths of the programs that listen for Tensordeck. */
  readonly programs: readonly string[];
  readonly agentPort: () => number | undefined;
  /** Identifies the rules of this installation. */
  readonly tag: string;
}

/** Loading the modules and asking for all rules takes seconds. */
const INSPECT_MILLIS = 60_000;

/** Windows Firewall as the wizard uses it. */
export function windowsFirewall(options: WindowsFirewallOptions): FirewallBackend {
  const { run, powershell, programs, agentPort, tag } = options;
  return {
    inspect: async (_, signal) => {
      const script = inspectScript(programs, tag);
      const { code, stdout, stderr } = await run(powershell, scriptArguments(script), {
        signal,
        timeoutMillis: INSPECT_MILLIS,
      });
      if (code !== 0) {
        throw problem("UNKNOWN", "Windows did not say how its firewall is set up.", {
          remedy: "See the details, then test again.",
          details: stderr.trim() || `PowerShell ended with ${code}.`,
        });
      }
      return windowsInspection(readAnswer(stdout), agentPort(), tag);
    },
    execute: async (script, elevation, signal) => {
      const asked = elevation === "uac";
      const outer = asked ? elevateScript(script) : script;
      const tooLong = lengthProblem(powershell, script, outer);
      if (tooLong) return { state: "failed", problem: tooLong };
      const { code, stderr } = await run(
        powershell,
        scriptArguments(outer),
        asked ? { signal } : uninterrupted(),
      );
      return outcomeOf(code, stderr);
    },
  };
}

function outcomeOf(code: number, stderr: string): Outcome {
  const details = stderr.trim() || `PowerShell ended with ${code}.`;
  switch (code) {
    case exitCodes.applied:
      return { state: "applied" };
    case exitCodes.declined:
      return { state: "declined" };
    case exitCodes.notAsked:
      return failed("PERMISSION_DENIED", "Windows could not ask for an administrator.", {
        remedy: "Send the command to the administrator of this PC, then test again.",
        details,
      });
    case exitCodes.blockRulesChanged:
      return failed("ABORTED", "The Block rules are no longer those that were listed. Nothing was changed.", {
        remedy: "Test again, and look at the new list before you apply.",
      });
    case exitCodes.leftBehind:
      return failed(
        "ABORTED",
        "The new rules are in force, but not all rules that they replace could be removed.",
        {
          reason: "Those that remain are disabled.",
          remedy: "Apply once more, or remove disabled rules whose names begin with Tensordeck.",
          details,
        },
      );
    default:
      return failed(...failedChange(readFailure(code), details));
  }
}

type FailureParts = Parameters<typeof problem>;

function failed(...parts: FailureParts): Outcome {
  return { state: "failed", problem: problem(...parts).problem };
}

/** The failure of a step, as far as the exit code tells it. */
function failedChange(failure: ChangeFailure | undefined, details: string): FailureParts {
  if (failure === undefined) {
    return [
      "ABORTED",
      "The script was ended before it was done.",
      { remedy: "Test again to see the current rules.", details },
    ];
  }
  const { step, cause, isUndone } = failure;
  const now = isUndone
    ? "The rules are as they were before."
    : "Not all rules could be put back as they were.";
  const where = `It failed while ${changeSteps[step].doing}. ${now}`;
  switch (cause) {
    case "noRights":
      return [
        "PERMISSION_DENIED",
        "Windows denied the change of its firewall's rules.",
        {
          reason: where,
          remedy: "Use an account that may change the firewall, or ask its administrator.",
          details,
        },
      ];
    case "policy":
      return [
        "PERMISSION_DENIED",
        "A policy of this PC forbids the change of its firewall's rules.",
        { reason: where, remedy: "Ask the administrator of this PC.", details },
      ];
    case "other":
      return [
        "ABORTED",
        "Windows Firewall refused the change.",
        { reason: where, remedy: "Test again to see the current rules.", details },
      ];
  }
}

/** Pure: everything that follows from Windows' answers. */
function windowsInspection(answer: WindowsAnswer, agentPort: number | undefined, tag: string): Inspection {
  const facts = factsOf(answer, tag);
  const elevation = answer.elevated ? "none" : answer.interactive ? "uac" : "by-hand";
  const undoScript = removeScript(tag);
  return {
    facts,
    elevation,
    undo: { script: undoScript, command: commandOf(undoScript) },
    plan: (change) => planOf(answer, facts, elevation, undoScript, agentPort, change, tag),
  };
}

function factsOf(answer: WindowsAnswer, tag: string): FirewallFacts {
  return {
    tool: "windows",
    name: "Windows Defender Firewall",
    active: answer.profiles.some(({ enabled, inbound }) => enabled === "True" && inbound !== "Allow"),
    adapters: answer.adapters.map(({ name, profile, addresses }) => ({
      name,
      profile: profileNames[profile] ?? profile,
      address: addresses.find((address) => !address.includes(":")) ?? addresses[0] ?? "",
    })),
    blockRules: answer.blocking,
    ownRules: ownRuleTexts(keptRules(answer, tag)),
  };
}

const profileNames: Readonly<Record<string, string>> = { DomainAuthenticated: "Domain" };

function planOf(
  answer: WindowsAnswer,
  facts: FirewallFacts,
  elevation: FirewallPlan["elevation"],
  undoScript: string,
  agentPort: number | undefined,
  { scope, ports, removeBlockRules }: FirewallChange,
  tag: string,
): FirewallPlan {
  const wanted = openings(ports, agentPort);
  const from = remoteAddress(scope);
  const rules = wanted.map((opening) => firewallRule(opening, from, "Private"));
  const removed = removeBlockRules ? facts.blockRules : [];
  const script = ruleScript(wanted, scope, removed, tag);
  return {
    rules,
    removals: removed.map(({ name }) => name),
    script,
    undoScript,
    elevation,
    command: commandOf(script),
    notes: [
      ok("Public profile stays closed. On café or hotel networks nothing can connect."),
      ...commonNotes(rules, facts, scope, from === LOCAL_SUBNET ? "the local subnet" : from),
      ...windowsNotes(answer, facts, removeBlockRules),
    ],
  };
}

function windowsNotes({ profiles }: WindowsAnswer, facts: FirewallFacts, removeBlockRules: boolean): Note[] {
  const notes: Note[] = [];
  for (const { name, profile } of facts.adapters) {
    if (profile === "Public") {
      notes.push(
        warning(
          `${name} is in the Public profile, so the rules do not apply there. If this network is yours, ` +
            "make it private in Settings, Network & internet.",
        ),
      );
    }
    if (profile === "Domain") {
      notes.push(
        warning(`${name} is in a domain's network, where the rules do not apply: ask its administrator.`),
      );
    }
  }
  const privateProfile = profiles.find(({ name }) => name === "Private");
  if (privateProfile?.local === "False") {
    notes.push(warning("A policy of this PC ignores rules that are added here: ask its administrator."));
  }
  if (privateProfile?.allowed === "False") {
    notes.push(
      warning(
        "Windows is set to block all incoming connections in the Private profile, even those that rules allow.",
      ),
    );
  }
  if (facts.blockRules.length > 0) notes.push(blockNote(facts.blockRules, removeBlockRules));
  return notes;
}

function blockNote(blockRules: FirewallFacts["blockRules"], removed: boolean): Note {
  const programs = [...new Set(blockRules.map(({ program }) => win32.basename(program)))].join(" and ");
  const count = blockRules.length === 1 ? "A Block rule" : `${blockRules.length} Block rules`;
  return removed
    ? ok(`${count} for ${programs} will be removed. Undo does not bring them back.`)
    : warning(`${count} for ${programs} ${blockRules.length === 1 ? "wins" : "win"} over these rules.`);
}

/** Longest command line that CreateProcess accepts, in characters, including the program's name and the terminator. */
const LONGEST_COMMAND_LINE = 32_767;
/** Longest line of the command prompt, in characters. */
const LONGEST_PROMPT_LINE = 8191;
/** Allowance for the uncounted parts of a command line: quotation marks, spaces, the terminator. */
const LENGTH_RESERVE = 64;

/** Encoding makes a script 2⅔ times as long, once more for each enclosing script. */
function lengthProblem(powershell: string, inner: string, outer: string): Problem | undefined {
  const longest = Math.max(
    ...[inner, outer].map((script) => [powershell, ...scriptArguments(script)].join(" ").length),
  );
  if (longest + LENGTH_RESERVE <= LONGEST_COMMAND_LINE) return undefined;
  return problem("RESOURCE_EXHAUSTED", "The change is too long for a single command line of Windows.", {
    reason: `Its command line would have ${longest} characters, and Windows takes ${LONGEST_COMMAND_LINE}.`,
    remedy: "Choose fewer ports, or paste the script into a PowerShell that was started as administrator.",
  }).problem;
}

/**
 * For a terminal that was started as administrator: a command that works in PowerShell and in the command prompt; one that is
 * too long for the latter is for PowerShell only, and a script that is too long for any command is to be pasted there.
 */
export function commandOf(script: string): string {
  const command = `powershell.exe ${scriptArguments(script).join(" ")}`;
  if (command.length <= LONGEST_PROMPT_LINE) return command;
  return `# for PowerShell\n${command.length + LENGTH_RESERVE <= LONGEST_COMMAND_LINE ? command : script}`;
}
