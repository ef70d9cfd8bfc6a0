/** Running the system's programs: the one place where the firewall code meets the machine. */
import { execFile } from "node:child_process";
import { endWithSignal } from "../../../worker-runtime/engines/end-with-signal.js";
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

export const runCommand: RunCommand = (program, args, { signal, timeoutMillis = 0 }) =>
  new Promise((resolve, reject) => {
    const child = execFile(
      program,
      [...args],
      {
        encoding: "utf8",
        timeout: timeoutMillis,
        windowsHide: true,
        maxBuffer: MAX_OUTPUT_BYTES,
        env: commandEnvironment(),
      },
      (error, stdout, stderr) => {
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        if (errnoOf(error) === "ENOENT")
          resolve({ code: NOT_FOUND, stdout, stderr: `${program}: not found` });
        else resolve({ code: exitCodeOf(error), stdout, stderr });
      },
    );
    endWithSignal(child, signal);
  });

function exitCodeOf(error: unknown): number {
  if (error === null) return 0;
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "number" ? code : ENDED_BY_SIGNAL;
}

/** Our own environment, with messages in English, since some are read. */
export function commandEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  if (process.platform === "win32") return environment;
  const folders = [...(environment.PATH ?? "").split(":"), ...systemFolders].filter(
    (folder) => folder !== "",
  );
  return { ...environment, LC_ALL: "C", LANGUAGE: "C", PATH: [...new Set(folders)].join(":") };
}
