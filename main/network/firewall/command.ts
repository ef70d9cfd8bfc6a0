/** Running the system's programs: the one place where the firewall code meets the machine. */
import { pathFolders } from "../../../worker-runtime/programs/find-program.js";
import { runProgram } from "../../../worker-runtime/programs/run-program.js";
import { errnoOf } from "../../shared/problems.js";

export interface CommandEnd {
  /** Exit status; 127 where there is no such program, 128 where a signal ended it. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program to its end, without a shell in between. A failing program does not reject; an aborted signal ends the
 * program and rejects with the signal's reason.
 */
export type RunCommand = (
  program: string,
  args: readonly string[],
  options: CommandOptions,
) => Promise<CommandEnd>;

export interface CommandOptions {
  readonly signal: AbortSignal;
  /** The program is ended after this time; without a limit it may run forever. */
  readonly timeoutMillis?: number;
}

/** A script that changes rules takes seconds; one that hangs must be ended. */
const SCRIPT_MILLIS = 120_000;

/** For a script that has begun to change rules: stopping it half-way would leave half of them in effect. */
export function uninterrupted(): CommandOptions {
  return { signal: new AbortController().signal, timeoutMillis: SCRIPT_MILLIS };
}

const NOT_FOUND = 127;
const ENDED_BY_SIGNAL = 128;
/** A rule set of a machine with thousands of containers. */
const MAX_OUTPUT_BYTES = 32 << 20;

/** Folders of administrators' programs, which are often missing from an account's PATH. */
const systemFolders = ["/usr/local/sbin", "/usr/sbin", "/sbin"];

export const runCommand: RunCommand = async (program, args, { signal, timeoutMillis = 0 }) => {
  const { error, stdout, stderr } = await runProgram(program, args, {
    timeoutMillis,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    env: commandEnvironment(),
    signal,
  });
  signal.throwIfAborted();
  if (errnoOf(error) === "ENOENT") return { code: NOT_FOUND, stdout, stderr: `${program}: not found` };
  return { code: exitCodeOf(error), stdout, stderr };
};

function exitCodeOf(error: unknown): number {
  if (error === undefined) return 0;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "number" ? code : ENDED_BY_SIGNAL;
}

/** Our own environment, with messages in English, since some are read. */
export function commandEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  if (process.platform === "win32") return environment;
  // The shell that runs a script looks for programs there as well.
  const folders = [...pathFolders(environment), ...systemFolders];
  return { ...environment, LC_ALL: "C", LANGUAGE: "C", PATH: [...new Set(folders)].join(":") };
}
