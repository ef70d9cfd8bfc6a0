import { existsSync } from "node:fs";
import { join } from "node:path";
import { START_FLAGS } from "../../worker-runtime/engines/portable/v8-flags.js";
import { tensorflowPython } from "../support/find-peers.js";
import { environmentWithoutProxies } from "../support/processes.js";
import { cliMain, noCuda, onCpu } from "./portable-clusters.js";
import { type PortableLine, portableLines } from "./portable-lines.js";
import { Clusters, measureInTurns } from "./portable-turns.js";
import { benchFolder } from "./python-client.js";
import { type Measurement, median, type Row, type RunContext, rowText } from "./report.js";
import { measureClientStep } from "./steps.js";
import { measureStart, type Start } from "./worker-start.js";

const START_ROUNDS = 3;

type Progress = RunContext["progress"];

async function measureLine(line: PortableLine, clusters: Clusters, progress: Progress): Promise<Row> {
  const { what, unit, target } = line;
  const [ours, theirs] = await measureInTurns(line, clusters, progress);
  return { what, unit, target, ours, theirs };
}

async function measureStarts(): Promise<Record<"start" | "memory", Row>> {
  const ours: Start[] = [];
  const theirs: Start[] = [];
  const env = { ...environmentWithoutProxies(), ...noCuda };
  for (let round = 0; round < START_ROUNDS; round += 1) {
    const task = [...START_FLAGS, cliMain, "worker", "--engine=portable", onCpu];
    ours.push(await measureStart(process.execPath, task, env));
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
    const workers = Math.max(0, ...chosen.map((line) => line.workers));
    const clusters = new Clusters(["portable", "stock"], workers, progress);
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
