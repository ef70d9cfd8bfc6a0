import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { START_FLAGS } from "../../worker-runtime/engines/portable/v8-flags.js";
import { libtensorflowDir, repositoryRoot, tensorflowPython } from "../support/find-peers.js";
import { environmentWithoutProxies, spawnPeer } from "../support/processes.js";
import { benchFolder } from "./python-client.js";
import { type Measurement, median, type Row } from "./report.js";

const ROUNDS = 4;
const KB_PER_MB = 1_000;
const READY = /target grpc:\/\/\S+/;

export interface Start {
  readonly millis: number;
  /** Resident memory of the process and all of its children once it serves. */
  readonly megabytes: number;
}

/** Resident memory of a process and its descendants, in kilobytes (POSIX). */
function residentKb(pid: number): number {
  const lines = execFileSync("ps", ["-A", "-o", "pid=,ppid=,rss="], { encoding: "utf8" }).trim().split("\n");
  const rows = lines.map((line) => line.trim().split(/\s+/).map(Number));
  const family = new Set([pid]);
  let sum = 0;
  // Parents are not always listed before their children.
  for (let grown = true; grown; ) {
    grown = false;
    for (const [child = 0, parent = 0] of rows) {
      if (family.has(parent) && !family.has(child)) {
        family.add(child);
        grown = true;
      }
    }
  }
  for (const [process = 0, , rss = 0] of rows) if (family.has(process)) sum += rss;
  return sum;
}

/** Starts a process, waits until it says its target, measures it and ends it. */
export async function measureStart(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Start> {
  const started = performance.now();
  const worker = await spawnPeer(command, args, { ready: READY, env });
  const millis = performance.now() - started;
  try {
    return { millis, megabytes: residentKb(worker.pid) / KB_PER_MB };
  } finally {
    await worker.stop();
  }
}

/** A local server of ours against Python's, both of the same libtensorflow, in turns. The first round does not count. */
export const workerStartMeasurement: Measurement = {
  name: "start of a worker against a Python process with tf.distribute.Server",
  async run(): Promise<readonly Row[]> {
    const main = join(repositoryRoot, "build", "out", "program", "cli", "main.js");
    if (!existsSync(main)) throw new Error("Tensordeck is not built: run npm run build.");
    const ours: Start[] = [];
    const theirs: Start[] = [];
    const env = environmentWithoutProxies();
    const ourEnv = { ...env, TENSORDECK_LIBTENSORFLOW: libtensorflowDir() };
    for (let round = 0; round <= ROUNDS; round += 1) {
      const worker = await measureStart(process.execPath, [...START_FLAGS, main, "worker"], ourEnv);
      const python = await measureStart(tensorflowPython(), [join(benchFolder, "python_server.py")], env);
      if (round === 0) continue;
      ours.push(worker);
      theirs.push(python);
    }
    const middle = (starts: readonly Start[], of: keyof Start): number =>
      median(starts.map((start) => start[of]));
    return [
      {
        what: "worker start",
        unit: "ms",
        ours: middle(ours, "millis"),
        theirs: middle(theirs, "millis"),
      },
      {
        what: "worker memory",
        unit: "MB",
        ours: middle(ours, "megabytes"),
        theirs: middle(theirs, "megabytes"),
      },
    ];
  },
};
