/** The supported versions of Node.js beside each other: what a task of the portable engine costs on each of them. */
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { bringNode } from "../../build/lib/node-binary.mjs";
import { NODE_VERSIONS } from "../../build/lib/node-versions.mjs";
import { START_FLAGS } from "../../worker-runtime/engines/portable/v8-flags.js";
import {
  environmentWithoutProxies,
  type PeerProcess,
  residentBytes,
  spawnPeer,
} from "../support/processes.js";
import { LineClient } from "./line-client.js";
import { cliMain, onCpu } from "./portable-clusters.js";
import { type Measurement, median, quantile, type Row, type Target } from "./report.js";
import { measureStart, type Start } from "./worker-start.js";

/** The first one does not count. */
const STARTS = 6;
/** All versions take turns: what else the machine does then falls on all alike. */
const TURNS = 24;
const STEPS_PER_TURN = 2_000;
/** Those before, in which JavaScript is compiled, do not count as steps, but for the memory. */
const WARM_UP_TURNS = 6;
const TURN_MILLIS = 120_000;
const BYTES_PER_MB = 1_000_000;

/**
 * The memory of a task after all steps, in MB on 64-bit Linux. It goes up and down between two full garbage collections, tens
 * of thousands of steps apart: the limit is above the most that was measured. README.md says what takes it.
 */
const MEMORY_MEGABYTES: Readonly<Record<string, Target>> = {
  20: { better: "lower", goal: 185, limit: 230, of: "ours" },
  22: { better: "lower", goal: 200, limit: 240, of: "ours" },
  24: { better: "lower", goal: 220, limit: 250, of: "ours" },
  26: { better: "lower", goal: 220, limit: 250, of: "ours" },
};

const TASK = [...START_FLAGS, cliMain, "worker", "--engine=portable", onCpu];
const answerSchema = z.object({ millis: z.array(z.number()) });

/** A task and its client, both on the same Node. */
class Pair {
  readonly #task: PeerProcess;
  readonly #client: LineClient;

  private constructor(task: PeerProcess, client: LineClient) {
    this.#task = task;
    this.#client = client;
  }

  static async start(node: string): Promise<Pair> {
    const task = await spawnPeer(node, TASK, { ready: /^target (\S+)$/m, env: environmentWithoutProxies() });
    const program = fileURLToPath(new URL("small-steps-client.ts", import.meta.url));
    const loader = ["--import", import.meta.resolve("tsx")];
    return new Pair(task, new LineClient(node, [...loader, program, task.match?.[1] ?? ""]));
  }

  /** Milliseconds of each step of a turn. */
  async turn(): Promise<number[]> {
    return answerSchema.parse(await this.#client.ask(STEPS_PER_TURN, TURN_MILLIS)).millis;
  }

  get megabytes(): number {
    return residentBytes(this.#task.pid) / BYTES_PER_MB;
  }

  async stop(): Promise<void> {
    await this.#client.stop();
    await this.#task.stop();
  }
}

interface MeasuredNode {
  readonly major: string;
  readonly release: string;
  /** The path of its program. */
  readonly program: string;
  readonly starts: Start[];
  readonly steps: number[];
  megabytes: number;
}

async function measureStarts(nodes: readonly MeasuredNode[]): Promise<void> {
  for (let round = 0; round < STARTS; round += 1) {
    for (const { program, starts } of nodes) {
      const start = await measureStart(program, TASK, environmentWithoutProxies());
      if (round > 0) starts.push(start);
    }
  }
}

async function measureSteps(nodes: readonly MeasuredNode[]): Promise<void> {
  const pairs = new Map<MeasuredNode, Pair>();
  try {
    for (const node of nodes) pairs.set(node, await Pair.start(node.program));
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const [node, pair] of pairs) {
        const millis = await pair.turn();
        if (turn >= WARM_UP_TURNS) for (const each of millis) node.steps.push(each);
        node.megabytes = pair.megabytes;
      }
    }
  } finally {
    await Promise.all([...pairs.values()].map((pair) => pair.stop()));
  }
}

function rowsOf({ major, release, starts, steps, megabytes }: MeasuredNode): Row[] {
  const row = (what: string, unit: string, ours: number, target?: Target): Row => ({
    what: `Node ${release}: ${what}`,
    unit,
    ours,
    theirs: undefined,
    target,
  });
  return [
    row("start of a task", "ms", median(starts.map(({ millis }) => millis))),
    row("memory of an idle task", "MB", median(starts.map((start) => start.megabytes))),
    row("small step, median", "ms", median(steps)),
    row("small step, 90th percentile", "ms", quantile(steps, 0.9)),
    row(`memory after ${TURNS * STEPS_PER_TURN} small steps`, "MB", megabytes, MEMORY_MEGABYTES[major]),
  ];
}

export const nodesMeasurement: Measurement = {
  name: "a task and its client on each supported version of Node.js",
  lines: Object.keys(NODE_VERSIONS),
  async run({ lines, progress }): Promise<readonly Row[]> {
    const nodes: MeasuredNode[] = [];
    for (const [major, release] of Object.entries(NODE_VERSIONS)) {
      if (lines !== undefined && !lines.includes(major)) continue;
      const program = await bringNode(release);
      nodes.push({ major, release, program, starts: [], steps: [], megabytes: Number.NaN });
    }
    progress("starting tasks");
    await measureStarts(nodes);
    progress("running small steps");
    await measureSteps(nodes);
    return nodes.flatMap(rowsOf);
  },
};
