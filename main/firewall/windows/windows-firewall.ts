/** Windows Defender Firewall, through PowerShell. */
import { win32 } from "node:path";
import type { FirewallFacts, FirewallPlan } from "../../api/firewall.js";
import { problem } from "../../problems.js";
import type { FirewallBackend, Inspection, Outcome } from "../backend.js";
import { type RunCommand, uninterrupted } from "../command.js";
import { commonNotes, type Note, ok, warning } from "../notes.js";
import { firewallRule, openings, ownRuleTexts } from "../rules.js";
import type { FirewallChange } from "../tool.js";
import { elevateScript, exitCodes } from "./elevate-script.js";
import { inspectScript, keptRules, readAnswer, type WindowsAnswer } from "./inspect-script.js";
import { encodeScript, scriptArguments } from "./powershell.js";
import { LOCAL_SUBNET, remoteAddress, removeScript, ruleScript } from "./rule-script.js";

export interface WindowsFirewallOptions {
  readonly run: RunCommand;
  /** Full path of Windows' PowerShell. */
  readonly powershell: string;
  /** Full paths of the programs that listen for Tensordeck. */
  readonly programs: readonly string[];
  readonly agentPort: () => number | undefined;
}

/** Loading the modules and asking for all rules takes seconds. */
const INSPECT_MILLIS = 60_000;

/** Windows Firewall as the wizard uses it. */
export function windowsFirewall(options: WindowsFirewallOptions): FirewallBackend {
  const { run, powershell, programs, agentPort } = options;
  return {
    inspect: async (_, signal) => {
      const script = inspectScript(programs);
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
      return windowsInspection(readAnswer(stdout), agentPort());
    },
    execute: async (script, elevation, signal) => {
      const asked = elevation === "uac";
      const outer = asked ? elevateScript(script) : script;
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
      return {
        state: "failed",
        problem: problem("PERMISSION_DENIED", "Windows could not ask for an administrator.", {
          reason: "Probably prompts are switched off for this account.",
          remedy: "Send the command to whoever manages this PC, then test again.",
          details,
        }).problem,
      };
    default:
      return {
        state: "failed",
        problem: problem("ABORTED", "Windows Firewall did not take the rules.", {
          reason:
            code === exitCodes.failed
              ? "Probably a policy of this PC forbids it."
              : "The script was ended before it was done.",
          remedy: "Test again to see what is there now.",
          details,
        }).problem,
      };
  }
}

/** Pure: all that follows from what Windows answered. */
function windowsInspection(answer: WindowsAnswer, agentPort: number | undefined): Inspection {
  const facts = factsOf(answer);
  const elevation = answer.elevated ? "none" : answer.interactive ? "uac" : "by-hand";
  const undoScript = removeScript();
  return {
    facts,
    elevation,
    undo: { script: undoScript, command: commandOf(undoScript) },
    plan: (change) => planOf(answer, facts, elevation, undoScript, agentPort, change),
  };
}

function factsOf(answer: WindowsAnswer): FirewallFacts {
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
    ownRules: ownRuleTexts(keptRules(answer)),
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
): FirewallPlan {
  const wanted = openings(ports, agentPort);
  const from = remoteAddress(scope);
  const rules = wanted.map((opening) => firewallRule(opening, from, "Private"));
  const removed = removeBlockRules ? facts.blockRules : [];
  const script = ruleScript(wanted, scope, removed);
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
        warning(`${name} is in a domain's network, where the rules do not apply: ask whoever manages it.`),
      );
    }
  }
  const privateProfile = profiles.find(({ name }) => name === "Private");
  if (privateProfile?.local === "False") {
    notes.push(warning("A policy of this PC ignores rules that are added here: ask whoever manages it."));
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

/** For a terminal that was started as administrator; works in PowerShell and in the command prompt. */
function commandOf(script: string): string {
  return `powershell.exe -NoProfile -NonInteractive -EncodedCommand ${encodeScript(script)}`;
}
