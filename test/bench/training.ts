import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cliMain } from "./portable-clusters.js";
import { type Measurement, median, type Row, type RunContext, rowText } from "./report.js";
import { type SideName, sides, TrainingCluster } from "./training-clusters.js";
import { examplesPerBatch, type ModelName } from "./training-graphs.js";
import { type TrainingLine, trainingLines, workerCounts } from "./training-lines.js";
import { measureRecovery } from "./training-recovery.js";
import { type StepShares, sharesOf } from "./training-trace.js";

const MAX_WORKERS = Math.max(...workerCounts);
/** Short turns of each side, one after the other: what else the machine does then falls on all alike. */
const ROUNDS = 3;
const TURN_SECONDS = 0.8;
/**
 * The portable engine makes the sessions of its regions meanwhile, and JavaScript is compiled, in the processes of all workers:
 * with four of them on two cores, steps still became twice as fast after ten seconds.
 */
const WARM_UP_SECONDS: Readonly<Record<"stock" | "portable", number>> = { stock: 2, portable: 5 };
const WARM_UP_STEPS: Readonly<Record<ModelName, number>> = { mlp: 1_000, cnn: 400 };
const MAX_WARM_UP_SECONDS = 90;
const TRACED_WORKERS = 2;
const TRACED_STEPS = 10;

type Progress = RunContext["progress"];

const sideNames: readonly SideName[] = ["stock", "script", "program"];

const OURS: Readonly<Record<Exclude<SideName, "stock">, string>> = {
  script: "stock script on our workers",
  program: "our program on our workers",
};

/** A cluster of each side, started when a line needs them and anew after a client has broken. */
class Clusters {
  readonly #progress: Progress;
  readonly #folder = mkdtempSync(join(tmpdir(), "tensordeck-bench-"));
  #running: TrainingCluster[] = [];

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  async all(): Promise<readonly TrainingCluster[]> {
    if (this.#running.some(({ isBroken }) => isBroken)) await this.stop();
    if (this.#running.length === 0) {
      this.#progress(`starting ${MAX_WORKERS + 1} tasks for each of ${sideNames.length} sides …`);
      for (const side of sideNames) {
        this.#running.push(await TrainingCluster.start(side, MAX_WORKERS, this.#folder));
      }
    }
    return this.#running;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.splice(0).map((cluster) => cluster.stop()));
  }

  async dispose(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

type BySide<T> = Readonly<Record<SideName, T>>;

async function bySide<T>(
  clusters: readonly TrainingCluster[],
  measure: (cluster: TrainingCluster) => Promise<T>,
): Promise<BySide<T>> {
  const found: Partial<Record<SideName, T>> = {};
  for (const cluster of clusters) found[cluster.side] = await measure(cluster);
  return found as BySide<T>;
}

/** Trains until each worker has done many steps. */
async function warmUp(
  cluster: TrainingCluster,
  { model, scheme }: TrainingLine,
  workers: number,
): Promise<void> {
  const wanted = WARM_UP_STEPS[model] * (scheme === "async" ? workers : 1);
  const seconds = WARM_UP_SECONDS[sides[cluster.side].servers];
  let steps = 0;
  for (let taken = 0; taken < MAX_WARM_UP_SECONDS && (taken === 0 || steps < wanted); taken += seconds) {
    steps += Number((await cluster.ask({ do: "train", model, scheme, workers, seconds })).steps);
  }
}

/** Steps per second of each side, in turns, of which none is always the first. */
async function stepRates(
  line: TrainingLine,
  workers: number,
  clusters: readonly TrainingCluster[],
): Promise<BySide<number>> {
  const { model, scheme } = line;
  const request = { do: "train", model, scheme, workers };
  for (const cluster of clusters) await warmUp(cluster, line, workers);
  const rates: Record<SideName, number[]> = { stock: [], script: [], program: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const at of clusters.keys()) {
      const cluster = clusters[(at + round) % clusters.length];
      if (cluster === undefined) continue;
      const { steps, seconds } = await cluster.ask({ ...request, seconds: TURN_SECONDS });
      rates[cluster.side].push(Number(steps) / Number(seconds));
    }
  }
  return { stock: median(rates.stock), script: median(rates.script), program: median(rates.program) };
}

/** A step is a change of the variables: asynchronous ones see one batch, the others one of each worker. */
function examplesOfStep({ model, scheme }: TrainingLine, workers: number): number {
  return examplesPerBatch[model] * (scheme === "async" ? 1 : workers);
}

function rateRows(line: TrainingLine, workers: number, rates: BySide<number> | undefined): Row[] {
  const examples = examplesOfStep(line, workers);
  return (["script", "program"] as const).map((side) => ({
    what: `${line.what}, ${workers} worker${workers === 1 ? "" : "s"}: ${OURS[side]}`,
    unit: "steps/s",
    ours: rates?.[side],
    theirs: rates?.stock,
    target: line.target,
    ...(rates && {
      note: `${Math.round(rates[side] * examples)} examples/s, Python ${Math.round(rates.stock * examples)}`,
    }),
  }));
}

function traceRows(line: TrainingLine, shares: BySide<StepShares>): Row[] {
  const row = (what: string, unit: string, of: (one: StepShares) => number): Row => ({
    ...{ what: `${line.what}, ${TRACED_WORKERS} workers, a traced step: ${what}`, unit },
    ...{ ours: of(shares.program), theirs: of(shares.stock) },
  });
  return [
    row("moved between tasks", "kB", ({ bytes }) => bytes / 1_000),
    row("in transfer", "ms", ({ transferMillis }) => transferMillis),
    row("computing", "ms", ({ computeMillis }) => computeMillis),
  ];
}

async function measureLine(
  line: TrainingLine,
  workers: number,
  clusters: Clusters,
  progress: Progress,
): Promise<Row[]> {
  try {
    const all = await clusters.all();
    progress(`${line.what}, ${workers} of ${MAX_WORKERS} workers …`);
    const rows = rateRows(line, workers, await stepRates(line, workers, all));
    if (line.hasTransfers && workers === TRACED_WORKERS) {
      const { model, scheme } = line;
      const request = { do: "trace", model, scheme, workers, steps: TRACED_STEPS };
      const shares = await bySide(all, async (cluster) =>
        sharesOf((await cluster.ask(request)).stats as readonly string[]),
      );
      rows.push(...traceRows(line, shares));
    }
    for (const cluster of all) await cluster.ask({ do: "end" });
    return rows;
  } catch (error) {
    progress(`${line.what}: failed: ${error instanceof Error ? error.message : String(error)}`);
    // The remains of its sessions on the servers would be in the way of the next line.
    await clusters.stop();
    return rateRows(line, workers, undefined);
  }
}

/** Training in each replication scheme, by stock scripts and by our programs, on stock servers and on ours. */
export const trainingMeasurement: Measurement = {
  name: "training on stock servers and on ours",
  lines: [...Object.keys(trainingLines), "recovery"],
  async run({ lines = trainingMeasurement.lines ?? [], progress }): Promise<readonly Row[]> {
    if (!existsSync(cliMain)) throw new Error("Tensordeck is not built: run npm run build.");
    const rows: Row[] = [];
    const add = (...measured: readonly Row[]): void => {
      rows.push(...measured);
      for (const row of measured) progress(rowText(row));
    };
    const clusters = new Clusters(progress);
    try {
      for (const [name, line] of Object.entries(trainingLines)) {
        if (!lines.includes(name)) continue;
        for (const workers of workerCounts) add(...(await measureLine(line, workers, clusters, progress)));
      }
    } finally {
      await clusters.dispose();
    }
    if (lines.includes("recovery")) add(...(await measureRecovery(progress)));
    return rows;
  },
};
