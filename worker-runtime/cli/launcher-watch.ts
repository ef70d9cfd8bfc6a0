import { readFile } from "node:fs/promises";
import path from "node:path";
import { processExists } from "../engines/process-exists.js";
import { runProgram } from "../programs/run-program.js";

const POLL_MILLIS = 500;
const PS_DEADLINE_MILLIS = 3_000;

/**
 * Calls `onGone` when the npx or npm that started this process has ended. They run a command in a shell and do not end
 * it when they are killed: without this, a worker would keep running, with its port and its memory, while the user
 * believes that it has ended. Does nothing for processes started in another way.
 */
export async function watchLauncher(onGone: () => void, env = process.env): Promise<void> {
  if (env.npm_command === undefined || process.platform === "win32") {
    return;
  }
  const parent = process.ppid;
  const launcher = await launcherAbove(parent);
  const timer = setInterval(() => {
    if (process.ppid !== parent || (launcher !== undefined && !processExists(launcher))) {
      clearInterval(timer);
      onGone();
    }
  }, POLL_MILLIS);
  timer.unref();
}

/** npm, where the parent is the shell that it uses. Where the shell has replaced itself by the command, npm is the parent. */
async function launcherAbove(parent: number): Promise<number | undefined> {
  const { name, ppid } = await processInfo(parent);
  return /^-?(sh|bash|dash|zsh|ash|busybox)$/.test(name) && ppid !== undefined && ppid > 1 ? ppid : undefined;
}

interface ProcessInfo {
  readonly name: string;
  readonly ppid: number | undefined;
}

async function processInfo(pid: number): Promise<ProcessInfo> {
  try {
    if (process.platform === "linux") {
      // "4711 (name, which may have spaces and brackets) S 4710 …"
      const status = await readFile(`/proc/${pid}/stat`, "utf8");
      const end = status.lastIndexOf(")");
      return {
        name: status.slice(status.indexOf("(") + 1, end),
        ppid: positive(status.slice(end + 2).split(" ")[1]),
      };
    }
    const { stdout } = await runProgram("ps", ["-o", "ppid=,comm=", "-p", String(pid)], {
      timeoutMillis: PS_DEADLINE_MILLIS,
    });
    const [ppid, ...command] = stdout.trim().split(/\s+/);
    return { name: path.basename(command.join(" ")), ppid: positive(ppid) };
  } catch {
    return { name: "", ppid: undefined };
  }
}

function positive(text: string | undefined): number | undefined {
  const value = Number(text);
  return Number.isInteger(value) && value > 0 ? value : undefined;
}
