// Runs of `npm test`, whose counts are read from the line that each of them ends with, and whose failures from the lines
// before it.
import { spawn } from "node:child_process";
import { delimiter } from "node:path";
import { createInterface } from "node:readline";
import { npmCommand } from "../programs.mjs";

const CLOSING_LINE = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/;

const HAS_PROCESS_GROUPS = process.platform !== "win32";

/** Begins the line that names a failed test. */
const FAILED = "FAILED ";

/** The counts of a run that died before its closing line. */
const BROKEN = { passed: 0, failed: 1, skipped: 0 };

/** A line that names a failed test by its file and its whole name, and why, as far as one line says it. */
export function failureLine(file, name, message) {
  const reason = message.trim().split("\n")[0].slice(0, 300);
  return `${FAILED}${[file, name].filter(Boolean).join(" > ")}${reason === "" ? "" : `: ${reason}`}`;
}

/** The counts of the line that `npm test` ends with; a run without one has failed. */
export function readClosingLine(output) {
  const numbers = CLOSING_LINE.exec(output.trimEnd().split("\n").at(-1) ?? "");
  if (numbers === null) return BROKEN;
  const [passed, failed, skipped] = numbers.slice(1).map((digits) => Number(digits ?? 0));
  return { passed, failed, skipped };
}

export function addCounts(first, second) {
  return {
    passed: first.passed + second.passed,
    failed: first.failed + second.failed,
    skipped: first.skipped + second.skipped,
  };
}

/** The line that `npm test` and `.ci/run` end with. */
export function closingLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/** The environment with another Node first on PATH; programs that look for `node`, such as npm, run on it. */
export function withNode(env, nodeFolder) {
  return nodeFolder === undefined ? env : { ...env, PATH: [nodeFolder, env.PATH ?? ""].join(delimiter) };
}

/**
 * Runs a program with its output forwarded to ours, and resolves with its exit code, the end of its standard output and the
 * lines directly before the closing one that name the failed tests. An interruption ends it with everything that it started.
 *
 * @param options those of `spawn`, and `signal`, which interrupts it
 * @throws the signal's reason, once the program has ended
 */
export async function runForwarding(command, args, { signal, ...options }) {
  signal?.throwIfAborted();
  // A group of its own can be ended as a whole; where it has none, npm's own children would be left.
  const child = spawn(command, args, {
    ...options,
    stdio: ["ignore", "pipe", "inherit"],
    detached: HAS_PROCESS_GROUPS,
  });
  const interrupt = () => {
    if (HAS_PROCESS_GROUPS) process.kill(-child.pid, "SIGTERM");
    else child.kill();
  };
  signal?.addEventListener("abort", interrupt, { once: true });
  try {
    return await new Promise((resolve, reject) => {
      let end = "";
      let failures = [];
      child.stdout.setEncoding("utf8").on("data", (text) => {
        process.stdout.write(text);
        end = (end + text).slice(-1000);
      });
      createInterface({ input: child.stdout }).on("line", (line) => {
        if (line.startsWith(FAILED)) failures.push(line);
        else if (!CLOSING_LINE.test(line)) failures = [];
      });
      child.once("error", reject);
      child.once("close", (code) => {
        if (signal?.aborted) reject(signal.reason);
        else resolve({ code: code ?? 1, end, failures });
      });
    });
  } finally {
    signal?.removeEventListener("abort", interrupt);
  }
}

/**
 * Runs `npm test` and resolves with its counts and the lines that name its failures. A run that fails without a failed or,
 * under CI, a skipped test has failed outside of its tests, which counts as a failure.
 *
 * @param args the arguments for vitest
 * @param options those of `runForwarding`; the Node is the first on their PATH
 */
export async function runTests(args, options) {
  const [npm, ...script] = npmCommand();
  const command = [...script, "test", "--silent", "--", ...args];
  const { code, end, failures } = await runForwarding(npm, command, options);
  const counts = readClosingLine(end);
  const broken = code !== 0 && counts.failed === 0 && counts.skipped === 0;
  return { counts: broken ? BROKEN : counts, failures };
}
