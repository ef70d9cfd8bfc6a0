import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tensorflowPython } from "../support/find-peers.js";
import { environmentWithoutProxies } from "../support/processes.js";
import {
  cliMain,
  type MeasuredCluster,
  type PortableMeasure,
  startMeasuredCluster,
} from "./portable-clusters.js";
import { benchFolder } from "./python-client.js";
import { type Better, type Measurement, median, type Row } from "./report.js";
import { measureStart, type Start } from "./worker-start.js";

const ROUNDS = 3;

/** What is measured, with the least that it is to be: times better than Python's servers. */
const measures: readonly {
  readonly measure: PortableMeasure;
  readonly what: string;
  readonly unit: string;
  readonly better: Better;
  readonly goal: string;
}[] = [
  { measure: "one_task", what: "step on one task", unit: "ms", better: "lower", goal: "0.5x" },
  { measure: "two_tasks", what: "step on two tasks", unit: "ms", better: "lower", goal: "0.5x" },
  { measure: "fan_in", what: "step on eight tasks", unit: "ms", better: "lower", goal: "0.5x" },
  { measure: "transfer", what: "64 MB from task to task", unit: "MB/s", better: "higher", goal: "0.25x" },
  { measure: "mlp", what: "MLP, 2 workers and a ps", unit: "steps/s", better: "higher", goal: "0.25x" },
  { measure: "mat_mul", what: "matMul of 1024 x 1024", unit: "ms", better: "lower", goal: "0.125x" },
  { measure: "first_run", what: "first run of 10,000 nodes", unit: "ms", better: "lower", goal: "0.33x" },
  { measure: "cached_run", what: "next run of 10,000 nodes", unit: "ms", better: "lower", goal: "" },
];

async function measureClusters(ours: MeasuredCluster, theirs: MeasuredCluster): Promise<Row[]> {
  const rows: Row[] = [];
  for (const { measure, what, unit, better, goal } of measures) {
    const [mine, stock]: [number[], number[]] = [[], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      // Neither is always the first.
      if (round % 2 === 0) mine.push(...(await ours.measure(measure)));
      stock.push(...(await theirs.measure(measure)));
      if (round % 2 === 1) mine.push(...(await ours.measure(measure)));
    }
    const name = goal === "" ? what : `${what} (goal ${goal})`;
    rows.push({ what: name, unit, ours: median(mine), theirs: median(stock), better });
  }
  return rows;
}

async function measureStarts(): Promise<Row[]> {
  const ours: Start[] = [];
  const theirs: Start[] = [];
  const env = environmentWithoutProxies();
  for (let round = 0; round < ROUNDS; round += 1) {
    ours.push(await measureStart(process.execPath, [cliMain, "worker", "--engine=portable"], env));
    theirs.push(await measureStart(tensorflowPython(), [join(benchFolder, "python_server.py")], env));
  }
  const row = (what: string, unit: string, of: keyof Start): Row => ({
    what,
    unit,
    ours: median(ours.map((start) => start[of])),
    theirs: median(theirs.map((start) => start[of])),
    better: "lower",
  });
  return [row("start (goal 1000 ms)", "ms", "millis"), row("idle memory (goal 150 MB)", "MB", "megabytes")];
}

/** Servers of the portable engine against Python's, each task a process, measured in turns by the same Python client. */
export const portableMeasurement: Measurement = {
  name: "the portable engine against tf.distribute.Server, nine tasks each",
  async run(): Promise<readonly Row[]> {
    if (!existsSync(cliMain)) throw new Error("Tensordeck is not built: run npm run build.");
    const starts = await measureStarts();
    const folder = mkdtempSync(join(tmpdir(), "tensordeck-bench-"));
    const clusters: MeasuredCluster[] = [];
    try {
      for (const engine of ["portable", "stock"] as const) {
        clusters.push(await startMeasuredCluster(engine, folder));
      }
      const [ours, theirs] = clusters;
      return ours === undefined || theirs === undefined
        ? starts
        : [...starts, ...(await measureClusters(ours, theirs))];
    } finally {
      await Promise.all(clusters.map((cluster) => cluster.stop()));
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
