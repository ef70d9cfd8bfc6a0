/** Resource usage of processes on Linux and macOS, read for all of them at once. */
import { readFile } from "node:fs/promises";
import { runProgram } from "../../worker-runtime/programs/run-program.js";

export interface ProcessUsage {
  /** Processor time since the process began, user and system. */
  readonly cpuMillis: number;
  /** Resident memory. */
  readonly memoryBytes: number;
}

/** Reads the usage of processes; those that have ended are left out. */
export type ReadUsage = (pids: readonly number[]) => Promise<Map<number, ProcessUsage>>;

const TOOL_TIMEOUT_MILLIS = 5000;

/** The kernel shows times to programs in hundredths of a second (USER_HZ) on every architecture that Node runs on. */
const LINUX_TICK_MILLIS = 10;

export async function readLinuxUsage(pids: readonly number[]): Promise<Map<number, ProcessUsage>> {
  const usage = new Map<number, ProcessUsage>();
  await Promise.all(
    pids.map(async (pid) => {
      try {
        const [stat, status] = await Promise.all([
          readFile(`/proc/${pid}/stat`, "utf8"),
          readFile(`/proc/${pid}/status`, "utf8"),
        ]);
        const parsed = parseLinuxUsage(stat, status);
        if (parsed) usage.set(pid, parsed);
      } catch {
        // It has ended.
      }
    }),
  );
  return usage;
}

/** From the contents of /proc/<pid>/stat and /proc/<pid>/status. A zombie process has no memory. */
export function parseLinuxUsage(stat: string, status: string): ProcessUsage | undefined {
  // The second field is the program's name in brackets and may itself have spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  const resident = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
  if (!Number.isFinite(ticks) || resident === undefined) return undefined;
  return { cpuMillis: ticks * LINUX_TICK_MILLIS, memoryBytes: Number(resident) * 1024 };
}

export async function readPsUsage(pids: readonly number[]): Promise<Map<number, ProcessUsage>> {
  // ps fails when one of the processes has ended, but still lists the others.
  const { stdout } = await runProgram("ps", ["-o", "pid=,rss=,time=", "-p", pids.join(",")], {
    timeoutMillis: TOOL_TIMEOUT_MILLIS,
  });
  return parsePsUsage(stdout);
}

/** From lines of `ps -o pid=,rss=,time=`: kibibytes, and [[days-]hours:]minutes:seconds. */
export function parsePsUsage(output: string): Map<number, ProcessUsage> {
  const usage = new Map<number, ProcessUsage>();
  for (const line of output.split("\n")) {
    const match = /^\s*(\d+)\s+(\d+)\s+(?:(\d+)-)?(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)\s*$/.exec(line);
    if (!match) continue;
    const [, pid, kibibytes, days = "0", hours = "0", minutes, seconds] = match;
    const cpuSeconds = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
    usage.set(Number(pid), { cpuMillis: cpuSeconds * 1000, memoryBytes: Number(kibibytes) * 1024 });
  }
  return usage;
}
