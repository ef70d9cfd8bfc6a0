/** The output of macOS's application firewall, and the commands that change it. */
import { problem } from "../../../shared/problems.js";

export const SOCKETFILTERFW = "/usr/libexec/ApplicationFirewall/socketfilterfw";

/**
 * off: everything is allowed. on: each program needs permission. block-all: nothing is allowed, regardless of
 * permissions.
 */
export type GlobalState = "off" | "on" | "block-all" | "unknown";

/** Reads `--getglobalstate`. */
export function readGlobalState(stdout: string): GlobalState {
  const state = /State = (\d)/.exec(stdout)?.[1];
  if (state === "2") return "block-all";
  if (state === "1" || /is enabled/i.test(stdout)) return "on";
  return state === "0" || /is disabled/i.test(stdout) ? "off" : "unknown";
}

/** unknown: the program is not in the list; macOS then asks, or decides by its signature. */
export type ProgramState = "allowed" | "blocked" | "unknown";

/** Reads `--getappblocked PATH`. */
export function readProgramState(stdout: string): ProgramState {
  if (/permitted|not blocked/i.test(stdout)) return "allowed";
  return /\bblocked\b/i.test(stdout) ? "blocked" : "unknown";
}

/** Reads `--getstealthmode`: in stealth mode pings are not answered. */
export function readStealth(stdout: string): boolean {
  return /stealth mode (?:is )?(?:on|enabled)/i.test(stdout);
}

/** @throws ProblemError INVALID_ARGUMENT when a path is not absolute or holds a control character. */
export function checkedProgram(path: string): string {
  if (path.startsWith("/") && !/\p{Cc}/u.test(path)) return path;
  throw problem("INVALID_ARGUMENT", "The path of a program cannot be used in a script.", {
    details: JSON.stringify(path),
  });
}
