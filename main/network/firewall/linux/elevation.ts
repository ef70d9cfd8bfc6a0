/** An administrator's rights on Linux. */
import type { FirewallPlan } from "../../../api/firewall.js";
import { problem } from "../../../shared/problems.js";
import type { Outcome } from "../backend.js";
import { type RunCommand, uninterrupted } from "../command.js";
import { ALREADY } from "../shell.js";

/** The rights that this process has or can ask for. */
export interface LinuxAccount {
  readonly uid: number;
  /** There is a desktop session, whose polkit agent can show a dialog. */
  readonly desktop: boolean;
}

/** The account of this process, and whether it has a desktop on which a password can be asked for. */
export function currentAccount(environment: NodeJS.ProcessEnv = process.env): LinuxAccount {
  return {
    uid: process.getuid?.() ?? -1,
    desktop: Boolean(environment.DISPLAY || environment.WAYLAND_DISPLAY),
  };
}

/** How an administrator's rights can be had here. */
export async function linuxElevation(
  run: RunCommand,
  { uid, desktop }: LinuxAccount,
  signal: AbortSignal,
): Promise<FirewallPlan["elevation"]> {
  if (uid === 0) return "none";
  if (!desktop) return "by-hand";
  const { code } = await run("pkexec", ["--version"], { signal });
  return code === 0 ? "pkexec" : "by-hand";
}

/**
 * pkexec's own exit codes: the dialog was dismissed; authorization was denied, or no dialog could be shown.
 */
const PKEXEC_DISMISSED = 126;
const PKEXEC_FAILED = 127;

export async function executeScript(
  run: RunCommand,
  script: string,
  elevation: FirewallPlan["elevation"],
  signal: AbortSignal,
): Promise<Outcome> {
  const asked = elevation === "pkexec";
  const { code, stderr } = asked
    ? await run("pkexec", ["--disable-internal-agent", "/bin/sh", "-c", script], { signal })
    : await run("/bin/sh", ["-c", script], uninterrupted());
  if (code === 0) return { state: "applied" };
  if (code === ALREADY) return { state: "already" };
  if (asked && code === PKEXEC_DISMISSED) return { state: "declined" };
  const details = stderr.trim() || `Exit status ${code}.`;
  if (asked && code === PKEXEC_FAILED) {
    return {
      state: "failed",
      problem: problem("PERMISSION_DENIED", "An administrator's rights could not be asked for.", {
        reason: "Probably this session cannot show such a dialog, or this account may not ask.",
        remedy: "Copy the command and run it in a terminal, then test again.",
        details,
      }).problem,
    };
  }
  return {
    state: "failed",
    problem: problem("ABORTED", "The firewall rejected the rules.", {
      remedy: "See the details. Some rules may be there already; Undo removes them.",
      details,
    }).problem,
  };
}
