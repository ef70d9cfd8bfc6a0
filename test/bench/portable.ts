import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tensorflowPython } from "../support/find-peers.js";
import { environmentWithoutProxies } from "../support/processes.js";
import { cliMain, type MeasuredCluster, startMeasuredCluster } from "./portable-clusters.js";
import { type PortableLine, portableLines } from "./portable-lines.js";
import { benchFolder } from "./python-client.js";
import { type Measurement, median, quantile, type Row, type RunContext, rowText } from "./report.js";
import { measureClientStep } from "./steps.js";
import { measureStart, type Start } from "./worker-start.js";

const START_ROUNDS = 3;

type Progress = RunContext["progress"];

/** Both clusters, started when a line needs them and anew after one of them has broken. */
class Clusters {
  readonly #workers: number;
  readonly #progress: Progress;
  readonly #folder = mkdtempSync(join(tmpdir(), "tensordeck-bench-"));
  #running: MeasuredCluster[] = [];

  constructor(workers: number, progress: Progress) {
    this.#workers = workers;
    this.#progress = progress;
  }

  /** Ours, then Python's. */
  async both(): Promise<[ours: MeasuredCluster, theirs: MeasuredCluster]> {
    if (this.#running.some(({ isBroken }) => isBroken)) {
      await this.#stop();
    }
    if (this.#running.length === 0) {
      this.#progress(`starting ${this.#workers + 1} tasks on each side …`);
      for (const engine of ["portable", "stock"] as const) {
        this.#running.push(await startMeasuredCluster(engine, this.#workers, this.#folder));
      }
    }
    const [ours, theirs] = this.#running;
    if (ours === undefined || theirs === undefined) throw new Error("A cluster is missing.");
    return [ours, theirs];
  }

  async dispose(): Promise<void> {
    await this.#stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #stop(): Promise<void> {
    await Promise.all(this.#running.splice(0).map((cluster) => cluster.stop()));
  }
}

async function measureLine(
  { measure, what, unit, target, note, rounds, warmUpRounds = 1, quantile: share = 0.5 }: PortableLine,
  clusters: Clusters,
  progress: Progress,
): Promise<Row> {
  try {
    const [ours, theirs] = await clusters.both();
    progress(`${what}: making the graph and warming up …`);
    for (let round = 0; round < warmUpRounds; round += 1) {
      await ours.measure(measure);
      await theirs.measure(measure);
    }
    const [mine, stock]: [number[], number[]] = [[], []];
    for (let round = 0; round < rounds; round += 1) {
      // Neither is always the first.
      if (round % 2 === 0) mine.push(...(await ours.measure(measure)));
      stock.push(...(await theirs.measure(measure)));
      if (round % 2 === 1) mine.push(...(await ours.measure(measure)));
    }
    return {
      ...{ what, unit, target, ours: quantile(mine, share), theirs: quantile(stock, share) },
      ...(note === undefined ? {} : { note }),
    };
  } catch (error) {
    progress(`${what}: failed: ${error instanceof Error ? error.message : String(error)}`);
    return { what, unit, ours: undefined, theirs: undefined, target };
  }
}

async function measureStarts(): Promise<Record<"start" | "memory", Row>> {
  const ours: Start[] = [];
  const theirs: Start[] = [];
  const env = environmentWithoutProxies();
  for (let round = 0; round < START_ROUNDS; round += 1) {
    ours.push(await measureStart(process.execPath, [cliMain, "worker", "--engine=portable"], env));
    theirs.push(await measureStart(tensorflowPython(), [join(benchFolder, "python_server.py")], env));
  }
  const row = (what: string, unit: string, of: keyof Start, wanted: number): Row => ({
    what,
    unit,
    ours: median(ours.map((start) => start[of])),
    theirs: median(theirs.map((start) => start[of])),
    target: { better: "lower", goal: wanted, limit: wanted },
  });
  return {
    start: row("start of a worker", "ms", "millis", 0.3),
    memory: row("memory of an idle worker", "MB", "megabytes", 0.2),
  };
}

/** Servers of the portable engine against Python's, each task a process, measured in turns by the same Python client. */
export const portableMeasurement: Measurement = {
  name: "the portable engine against tf.distribute.Server",
  lines: ["start", "memory", ...Object.keys(portableLines), "client"],
  async run({ lines = portableMeasurement.lines ?? [], progress }): Promise<readonly Row[]> {
    if (!existsSync(cliMain)) throw new Error("Tensordeck is not built: run npm run build.");
    const rows: Row[] = [];
    const add = (...measured: readonly Row[]): void => {
      rows.push(...measured);
      for (const row of measured) progress(rowText(row));
    };
    const starts = lines.filter((line) => line === "start" || line === "memory");
    if (starts.length > 0) {
      progress(`starting workers, ${START_ROUNDS} times …`);
      const measured = await measureStarts();
      add(...starts.map((line) => measured[line]));
    }
    const chosen = Object.entries(portableLines).flatMap(([name, line]) =>
      lines.includes(name) ? [line] : [],
    );
    const clusters = new Clusters(Math.max(0, ...chosen.map(({ workers }) => workers)), progress);
    try {
      for (const line of chosen) {
        add(await measureLine(line, clusters, progress));
      }
    } finally {
      await clusters.dispose();
    }
    if (lines.includes("client")) {
      progress("our client and Python's, on the same TensorFlow server …");
      add(...(await measureClientStep()));
    }
    return rows;
  },
};
