/** How long training stands still after a task was killed, which is started again at once. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, type Row, type RunContext } from "./report.js";
import { type SideName, TrainingCluster } from "./training-clusters.js";
import { recoveryTarget } from "./training-lines.js";

const WORKERS = 2;
const ROUNDS = 3;
const MILLIS_PER_SECOND = 1_000;

/** The task that is killed, and the worker whose next step counts. The chief restores what a parameter server has lost. */
const CASES = [
  { task: "worker/1", waiting: 1, what: "a killed worker" },
  { task: "ps/0", waiting: 0, what: "a killed parameter server" },
] as const;

type Case = (typeof CASES)[number];

interface Standstill {
  /** From the kill until the worker's next step, in a new session. */
  readonly total: number;
  /** The part of it after the task serves again. */
  readonly afterStart: number;
}

async function standstill(cluster: TrainingCluster, { task, waiting }: Case): Promise<Standstill> {
  await cluster.ask({ do: "mark" });
  const killed = performance.now();
  await cluster.kill(task);
  const recovered = cluster.ask({ do: "recovered", worker: waiting }).then(() => performance.now());
  await cluster.startTask(task);
  const started = performance.now();
  const ended = await recovered;
  return {
    total: (ended - killed) / MILLIS_PER_SECOND,
    afterStart: Math.max(0, ended - started) / MILLIS_PER_SECOND,
  };
}

/** Medians of several kills. */
async function measureSide(side: SideName, killed: Case, folder: string): Promise<Standstill> {
  const cluster = await TrainingCluster.start(side, WORKERS, folder);
  try {
    await cluster.ask({ do: "recover", folder: join(cluster.folder, "checkpoints", killed.task) });
    const times: Standstill[] = [];
    for (let round = 0; round < ROUNDS; round += 1) times.push(await standstill(cluster, killed));
    return {
      total: median(times.map(({ total }) => total)),
      afterStart: median(times.map(({ afterStart }) => afterStart)),
    };
  } finally {
    await cluster.stop();
  }
}

/** A killed worker and a killed parameter server: our MonitoredTrainingSession on our workers, and TensorFlow's on stock servers. */
export async function measureRecovery(progress: RunContext["progress"]): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), "tensordeck-bench-"));
  const rows: Row[] = [];
  try {
    for (const killed of CASES) {
      const found: Partial<Record<SideName, Standstill>> = {};
      for (const side of ["stock", "script", "program"] as const) {
        progress(`${killed.what}, ${side}: ${ROUNDS} times …`);
        try {
          found[side] = await measureSide(side, killed, folder);
        } catch (error) {
          progress(`failed: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
      const row = (what: string, side: SideName, of: keyof Standstill, more: Partial<Row> = {}): Row => ({
        ...{ what: `${killed.what}: ${what}`, unit: "s" },
        ...{ ours: found[side]?.[of], theirs: found.stock?.[of], ...more },
      });
      rows.push(
        row("next step, our program", "program", "total", { target: recoveryTarget }),
        row("next step, stock script", "script", "total", { target: recoveryTarget }),
        row("after its start, our program", "program", "afterStart"),
        row("after its start, stock script", "script", "afterStart"),
      );
    }
    return rows;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
