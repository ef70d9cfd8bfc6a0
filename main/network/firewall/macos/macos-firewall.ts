/** macOS's application firewall. It allows or blocks programs; it has no rules for ports or addresses. */
import type { FirewallFacts, FirewallPlan } from "../../../api/firewall.js";
import { problem } from "../../../shared/problems.js";
import { peerNetwork } from "../addresses.js";
import type { FirewallBackend, Inspection, Outcome } from "../backend.js";
import { type RunCommand, uninterrupted } from "../command.js";
import { type Note, ok, titles, warning } from "../notes.js";
import { openings, ruleNames } from "../rules.js";
import { quote, type ShellScript, shellScript } from "../shell.js";
import type { FirewallChange } from "../tool.js";
import {
  checkedProgram,
  type GlobalState,
  type ProgramState,
  readGlobalState,
  readProgramState,
  readStealth,
  SOCKETFILTERFW,
} from "./socketfilterfw.js";

export interface MacosFirewallOptions {
  readonly run: RunCommand;
  /** Full paths of the programs that listen for Tensordeck. */
  readonly programs: readonly string[];
  readonly agentPort: () => number | undefined;
  readonly uid: number;
  /** Network interfaces with an address each, as the facts show them. */
  readonly adapters: () => FirewallFacts["adapters"];
}

export interface MacosAnswer {
  readonly state: GlobalState;
  readonly stealth: boolean;
  readonly programs: readonly { readonly path: string; readonly state: ProgramState }[];
  readonly adapters: FirewallFacts["adapters"];
}

/** The application firewall of macOS as the wizard uses it. */
export function macosFirewall({
  run,
  programs,
  agentPort,
  uid,
  adapters,
}: MacosFirewallOptions): FirewallBackend {
  const elevation = async (signal: AbortSignal): Promise<FirewallPlan["elevation"]> => {
    if (uid === 0) return "none";
    // The user at the screen owns the console; no other user can be shown a dialog.
    const { stdout } = await run("/usr/bin/stat", ["-f", "%u", "/dev/console"], { signal });
    return stdout.trim() === String(uid) ? "osascript" : "by-hand";
  };
  return {
    inspect: async (_, signal) => {
      const ask = async (...args: string[]) => (await run(SOCKETFILTERFW, args, { signal })).stdout;
      const answer: MacosAnswer = {
        state: readGlobalState(await ask("--getglobalstate")),
        stealth: readStealth(await ask("--getstealthmode")),
        programs: await Promise.all(
          programs.map(async (path) => ({
            path,
            state: readProgramState(await ask("--getappblocked", checkedProgram(path))),
          })),
        ),
        adapters: adapters(),
      };
      return macosInspection(answer, await elevation(signal), agentPort());
    },
    execute: async (script, asked, signal) => {
      const { code, stderr } =
        asked === "osascript"
          ? await run("/usr/bin/osascript", [...WITH_RIGHTS, script], { signal })
          : await run("/bin/sh", ["-c", script], uninterrupted());
      return outcomeOf(code, stderr);
    },
  };
}

/** The script is an argument of the AppleScript, never a part of its text. */
const WITH_RIGHTS = [
  "-e",
  "on run argv",
  "-e",
  "do shell script (item 1 of argv) with administrator privileges",
  "-e",
  "end run",
];

/** AppleScript's number of "User canceled." */
const USER_CANCELED = "-128";

function outcomeOf(code: number, stderr: string): Outcome {
  if (code === 0) return { state: "applied" };
  if (stderr.includes(`(${USER_CANCELED})`)) return { state: "declined" };
  const managed = /managed Mac/i.test(stderr);
  return {
    state: "failed",
    problem: problem("ABORTED", "The application firewall rejected the change.", {
      reason: managed ? "This Mac is managed, and its firewall is set by a profile." : undefined,
      remedy: managed ? "Ask the administrator of this Mac." : "See the details, then test again.",
      details: stderr.trim() || `Exit status ${code}.`,
    }).problem,
  };
}

/** Pure: everything that follows from macOS's answers. */
function macosInspection(
  answer: MacosAnswer,
  elevation: FirewallPlan["elevation"],
  agentPort: number | undefined,
): Inspection {
  const facts = factsOf(answer);
  const undo = programCommands(answer, "--remove");
  return {
    facts,
    elevation,
    undo,
    plan: (change) => planOf(answer, facts, elevation, undo.script, agentPort, change),
  };
}

function factsOf({ state, programs, adapters }: MacosAnswer): FirewallFacts {
  return {
    tool: "macos",
    name: "macOS application firewall",
    active: state === "on" || state === "block-all",
    adapters,
    blockRules: programs
      .filter((program) => program.state === "blocked")
      .map(({ path }) => ({ id: path, name: `Block incoming connections to ${path}`, program: path })),
    ownRules: programs.filter((program) => program.state === "allowed").map(({ path }) => allowText(path)),
    ...(state === "unknown" && {
      problem: problem("PERMISSION_DENIED", "macOS did not say whether its firewall is on.", {
        reason: "Probably this Mac is managed by a profile.",
      }).problem,
    }),
  };
}

function allowText(path: string): string {
  return `Allow incoming connections: any port from any address, ${path}`;
}

function planOf(
  answer: MacosAnswer,
  facts: FirewallFacts,
  elevation: FirewallPlan["elevation"],
  undoScript: string,
  agentPort: number | undefined,
  { scope, ports }: FirewallChange,
): FirewallPlan {
  // Checked as on other systems, though this firewall has no rules for either.
  const wanted = openings(ports, agentPort);
  if (scope.kind === "peer") peerNetwork(scope.address);
  if (!facts.active && !facts.problem) {
    const notes = [ok("The application firewall is off, so nothing on this Mac blocks connections.")];
    return { rules: [], removals: [], script: "", undoScript: "", elevation: "none", command: "", notes };
  }
  const { script, command } = programCommands(answer, "--unblockapp");
  return {
    rules: answer.programs.map(({ path }) => ({
      name: "Allow incoming connections",
      protocol: "any port",
      ports: "",
      from: "any address",
      profile: path,
      purpose: wanted.map(({ purpose }) => purpose).join(" "),
    })),
    removals: facts.blockRules.map(({ name }) => name),
    script,
    undoScript,
    elevation,
    command,
    notes: macosNotes(
      answer,
      wanted.some(({ name }) => name === ruleNames.tasks),
      scope.kind === "peer",
    ),
  };
}

function macosNotes({ state, stealth, programs }: MacosAnswer, tasks: boolean, singlePeer: boolean): Note[] {
  const notes = [
    warning(
      "This firewall only knows programs: it lets these in from every network and on every port" +
        `${singlePeer ? ", not from a single machine" : ""}.`,
    ),
  ];
  if (tasks) {
    notes.push(warning("Task ports have no password. Any device that reaches this Mac can use them."));
  }
  if (state === "block-all") {
    notes.push(
      warning(
        "It is set to block all incoming connections, so the change has no effect until that is switched off in " +
          "System Settings, Network, Firewall, Options.",
      ),
    );
  }
  notes.push(ok("Undo takes the programs off the list again; macOS then asks when they are used next."));
  const allowed = programs.filter((program) => program.state === "allowed").map(({ path }) => path);
  if (allowed.length > 0) {
    notes.push(
      warning(
        `${allowed.join(" and ")} ${allowed.length === 1 ? "is" : "are"} already on the list. The list does not say who put ${allowed.length === 1 ? "it" : "them"} there, and Undo takes ${allowed.length === 1 ? "it" : "them"} off all the same.`,
      ),
    );
  }
  if (stealth) notes.push(warning("Stealth mode is on, so this Mac answers no pings; this is not changed."));
  return notes;
}

function programCommands({ programs }: MacosAnswer, last: "--unblockapp" | "--remove"): ShellScript {
  const lines = programs.flatMap(({ path }) => {
    const program = quote(checkedProgram(path));
    const change = `${SOCKETFILTERFW} ${last} ${program}`;
    return last === "--remove" ? [change] : [`${SOCKETFILTERFW} --add ${program}`, change];
  });
  return shellScript(last === "--remove" ? titles.undo : titles.apply, lines);
}
