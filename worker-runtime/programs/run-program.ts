/**
 * Starting other programs. No other module of the program takes functions of node:child_process (a lint rule): here is
 * checked that a program has a full path and a chosen folder.
 */
import {
  type ChildProcess,
  type ExecFileException,
  execFile,
  type SpawnOptions,
  spawn,
} from "node:child_process";
import { internalError } from "../protocol/status.js";
import { endWithSignal } from "./end-with-signal.js";
import { findProgram, isFullPath, windowsSystemFolder } from "./find-program.js";

export interface RunOptions {
  /** Working folder; unless given `neutralFolder`'s. */
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** The program is ended after this time; 0, the default, for none. */
  readonly timeoutMillis?: number;
  /** Ends the program when aborted. */
  readonly signal?: AbortSignal | undefined;
  /** The program is ended when it has written more; 1 MiB unless given. */
  readonly maxOutputBytes?: number;
}

/** How a program ended, and what it has written. */
export interface ProgramEnd {
  /** Undefined where it ended with 0; with the code ENOENT where there is no such program. */
  readonly error: ExecFileException | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program to its end, without a shell. Never rejects: a program that is not installed, cannot be started or fails
 * is told by `error`.
 *
 * @param program the name of an installed program (`findProgram`), or a full path.
 */
export function runProgram(
  program: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<ProgramEnd> {
  const { cwd = neutralFolder(), env = process.env, timeoutMillis = 0, signal, maxOutputBytes } = options;
  const file = isFullPath(program) ? program : findProgram(program, { env });
  if (file === undefined) {
    return Promise.resolve(failed(notInstalled(program)));
  }
  return new Promise((resolve) => {
    try {
      const child = execFile(
        file,
        [...args],
        {
          cwd,
          env,
          timeout: timeoutMillis,
          windowsHide: true,
          ...(maxOutputBytes !== undefined && { maxBuffer: maxOutputBytes }),
        },
        (error, stdout, stderr) => resolve({ error: error ?? undefined, stdout, stderr }),
      );
      endWithSignal(child, signal);
    } catch (error) {
      // Node throws at once for a file of another processor, or one that is no program at all.
      resolve(failed(error instanceof Error ? error : new Error(String(error))));
    }
  });
}

/**
 * Starts a program that runs on while this one does other things; the caller ends it.
 *
 * @param program a full path.
 * @throws TensorFlowError INTERNAL for any other: Windows would look for it in the current folder.
 */
export function startProgram(
  program: string,
  args: readonly string[],
  options: SpawnOptions & { readonly cwd: string },
): ChildProcess {
  if (!isFullPath(program)) {
    throw internalError(`${program} is not the full path of a program.`);
  }
  return spawn(program, [...args], { windowsHide: true, ...options });
}

/**
 * The working folder of a program that works on no files: one that belongs to the system. What a program looks for beside
 * itself (a module, a library, on Windows a DLL) it does not find in the folder that the user happens to be in.
 */
export function neutralFolder(platform: NodeJS.Platform = process.platform): string {
  return platform === "win32" ? windowsSystemFolder() : "/";
}

/** As Node's own error for it. */
function notInstalled(program: string): ExecFileException {
  return Object.assign(new Error(`There is no program ${program} in the absolute folders of PATH.`), {
    code: "ENOENT",
  });
}

function failed(error: ExecFileException): ProgramEnd {
  return { error, stdout: "", stderr: "" };
}
