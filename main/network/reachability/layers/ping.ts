import { isIPv6 } from "node:net";
import { runProgram } from "../../../../worker-runtime/programs/run-program.js";
import type { LayerResult } from "../../../api/reachability.js";
import { errnoOf } from "../../../shared/problems.js";
import { durationText, failed, skipped, stopwatch, succeeded } from "./result.js";

const WAIT_MILLIS = 1000;
/** Allowance for starting and ending the program, in addition to the wait. */
const DEADLINE_MILLIS = WAIT_MILLIS + 1500;

interface PingCommand {
  readonly program: string;
  readonly args: readonly string[];
}

/** Sends one echo request with the system's own program, which has the right to do so. */
export function pingCommand(host: string, platform: NodeJS.Platform = process.platform): PingCommand {
  switch (platform) {
    case "win32":
      return { program: "ping", args: ["-n", "1", "-w", String(WAIT_MILLIS), host] };
    case "darwin":
      // Only the program for IPv4 has an option for the time to wait.
      return isIPv6(host)
        ? { program: "ping6", args: ["-c", "1", host] }
        : { program: "ping", args: ["-n", "-c", "1", "-W", String(WAIT_MILLIS), host] };
    default:
      return { program: "ping", args: ["-n", "-c", "1", "-W", String(WAIT_MILLIS / 1000), host] };
  }
}

/**
 * Whether a host answers a ping within a second. A hint only: many hosts do not, and Windows does not unless a rule
 * lets it. Skipped if there is no such program or it may not send one. Rejects when the signal is aborted.
 */
export async function probePing(host: string, signal: AbortSignal): Promise<LayerResult> {
  const elapsed = stopwatch();
  const { program, args } = pingCommand(host);
  const { error, stdout, stderr } = await runProgram(program, args, {
    timeoutMillis: DEADLINE_MILLIS,
    env: { ...process.env, LC_ALL: "C" },
    signal,
  });
  signal.throwIfAborted();
  if (errnoOf(error) === "ENOENT") return skipped("ping", "there is no ping program here");
  return readPing(stdout, stderr, elapsed());
}

/** Parses the program's output, on any system and in any language: it contains a time if and only if an answer came. */
export function readPing(stdout: string, stderr: string, elapsedMillis: number): LayerResult {
  const time = /[=<]\s*([\d.,]+)\s*ms\b/.exec(stdout)?.[1];
  if (time !== undefined) {
    const millis = Number(time.replace(",", "."));
    return succeeded("ping", millis, `answers in ${durationText(millis)}`);
  }
  if (/not permitted|permission denied|lacking privilege|must be root/i.test(stderr)) {
    return skipped("ping", "this account may not send a ping");
  }
  if (/network is unreachable|no route to host/i.test(stdout + stderr)) {
    return failed("ping", "no-route", elapsedMillis, "no route to that network");
  }
  if (/host (?:is )?unreachable/i.test(stdout)) {
    return failed("ping", "host-unreachable", elapsedMillis, "the host is unreachable");
  }
  return failed("ping", "timed-out", elapsedMillis, `no answer within ${durationText(WAIT_MILLIS)}`);
}
