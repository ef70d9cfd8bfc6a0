/** A process with all that it starts: one call ends the whole group. */
import type { ChildProcess } from "node:child_process";
import { inBackground } from "../../worker-runtime/faults.js";
import { runProgram, startProgram } from "../../worker-runtime/programs/run-program.js";
import { errnoOf } from "../shared/problems.js";
import type { TaskExit } from "../tasks/launcher.js";
import { OutputLines } from "./output-lines.js";

/** Time to write a checkpoint and close servers; after the end of the process, time for the rest of its output. */
export const END_GRACE_MILLIS = 10_000;

export interface GroupCommand {
  /** The full path of the program, and its arguments; no shell reads them. */
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface GroupOptions {
  readonly onLine: (text: string, stream: "stdout" | "stderr") => void;
  readonly graceMillis?: number;
}

/** The command that ends a process and its descendants on Windows, which has no signals. */
function taskkillArgs(pid: number, force: boolean): string[] {
  return ["/PID", String(pid), "/T", ...(force ? ["/F"] : [])];
}

/**
 * Ends a process and its descendants on Windows. That can ask only programs with a window to end, and Python has none: where
 * it cannot ask, it ends them by force at once, because a grace would pass in vain.
 *
 * @param run `runProgram`; another one in tests.
 */
export async function endTree(
  pid: number,
  force: boolean,
  run: (program: string, args: readonly string[]) => Promise<{ readonly error: unknown }> = runProgram,
): Promise<void> {
  const { error } = await run("taskkill", taskkillArgs(pid, force));
  // It also fails for a process that has ended meanwhile; then the second one does so, too.
  if (error !== undefined && !force) await run("taskkill", taskkillArgs(pid, true));
}

export class ProcessGroup {
  /**
   * Resolves when the process has ended, its output is complete and what it had started is gone. What has left the group
   * (a daemon) runs on; if it holds the output open, that is read until the grace is over. Never rejects.
   */
  readonly exited: Promise<TaskExit>;
  /** Why the program could not be started. */
  startError: Error | undefined;
  readonly #child: ChildProcess;
  readonly #graceMillis: number;
  #hasEnded = false;
  #ending: NodeJS.Timeout | undefined;

  constructor({ command: [program = "", ...args], cwd, env }: GroupCommand, options: GroupOptions) {
    const { onLine, graceMillis = END_GRACE_MILLIS } = options;
    this.#graceMillis = graceMillis;
    const isPosix = process.platform !== "win32";
    this.#child = startProgram(program, args, {
      ...{ cwd, env },
      stdio: ["ignore", "pipe", "pipe"],
      // A group of its own, so that it can be signalled as a whole, and Ctrl+C in a terminal does not reach it twice.
      detached: isPosix,
    });
    const finished = (["stdout", "stderr"] as const).map((name) => {
      const lines = new OutputLines((text) => onLine(text, name));
      const stream = this.#child[name];
      stream?.on("data", (bytes: Buffer) => lines.push(bytes));
      return () => lines.end();
    });
    this.exited = new Promise((resolve) => {
      this.#child.once("error", (error) => {
        if (this.#child.pid !== undefined) return;
        this.startError = error;
        this.#hasEnded = true;
        resolve({ code: null, signal: null });
      });
      let reading: NodeJS.Timeout | undefined;
      this.#child.once("exit", () => {
        // Programs that the process has left running hold its output open, and would never end by themselves.
        if (isPosix) this.#signal("SIGKILL");
        reading = setTimeout(() => {
          this.#child.stdout?.destroy();
          this.#child.stderr?.destroy();
        }, graceMillis);
      });
      this.#child.once("close", (code, signal) => {
        this.#hasEnded = true;
        clearTimeout(this.#ending);
        clearTimeout(reading);
        for (const finish of finished) finish();
        resolve({ code, signal });
      });
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Asks the group to end, and ends it by force after the grace. A second call ends it by force at once. */
  end(): void {
    if (this.#hasEnded) return;
    if (this.#ending !== undefined) {
      this.#signal("SIGKILL");
      return;
    }
    this.#signal("SIGTERM");
    this.#ending = setTimeout(() => this.#signal("SIGKILL"), this.#graceMillis);
  }

  #signal(signal: "SIGTERM" | "SIGKILL"): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    if (process.platform === "win32") {
      inBackground(endTree(pid, signal === "SIGKILL"));
      return;
    }
    try {
      process.kill(-pid, signal);
    } catch (error) {
      if (errnoOf(error) !== "ESRCH" && errnoOf(error) !== "EPERM") throw error;
    }
  }
}
