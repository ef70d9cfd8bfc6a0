/**
 * Random graphs of the ops that have lowerings, as regions that ONNX Runtime runs, against a real TensorFlow server: nodes
 * that it joins, drops and orders anew, training steps, and batches of other sizes. ../README.md says how to repeat a
 * failure and how to run many.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { initTfjs } from "../../../../../worker-runtime/engines/portable/kernels/tfjs/backend.js";
import { unoptimizedConfig } from "../../../../../worker-runtime/session/trace/unoptimized-config.js";
import { peerMissing } from "../../../../support/peers.js";
import { type StartedWorker, startWorker } from "../../../worker-peers.js";
import { readSettings } from "../settings.js";
import { graphText } from "./graph-text.js";
import { makeRandomGraph, type RandomGraph, type RandomGraphs } from "./random-graph.js";
import { errorText, type GraphRun, runDifferences, runRandomGraph } from "./run-random-graph.js";

/** Graphs for each case that the other tests of the harness draw. */
const GRAPHS_PER_CASE = 10;
/** The part of the nodes with a lowering that sessions have to run: some are alone, some are declined for their sizes. */
const LEAST_IN_SESSIONS = 0.75;

/** The nodes of the largest region of all. */
const LEAST_LARGEST = 15;

const { TENSORDECK_RANDOM_GRAPHS: chosen } = process.env;
const settings = readSettings(process.env);
const count = chosen === undefined ? settings.count * GRAPHS_PER_CASE : Number(chosen);

const rejected = /.* in ONNX Runtime and (?:is|are) run by kernels: .*/g;

/** A TensorFlow server and ours, which runs all regions as sessions. */
class Servers {
  readonly #tensorflow: StartedWorker;
  readonly #portable: StartedWorker;
  /** Totals of all graphs that agreed. */
  readonly ran = { lowered: 0, inSessions: 0, largestRegion: 0, updates: 0 };
  #linesSeen = 0;

  private constructor(tensorflow: StartedWorker, portable: StartedWorker) {
    this.#tensorflow = tensorflow;
    this.#portable = portable;
  }

  static async start(): Promise<Servers> {
    const env = { TF_ENABLE_ONEDNN_OPTS: "0" };
    const [tensorflow, portable] = await Promise.all([
      startWorker(["--engine", "tensorflow"], env),
      startWorker(["--engine", "portable", "--regions=always"]),
    ]);
    return new Servers(tensorflow, portable);
  }

  async stop(): Promise<void> {
    await Promise.all([this.#tensorflow.stop(), this.#portable.stop()]);
  }

  /** The differences between both, and what ONNX Runtime has rejected. */
  async differences(one: RandomGraph): Promise<string[]> {
    let expected: GraphRun;
    try {
      // TensorFlow 2.21's optimizer takes one of two negations away if a Reshape or a Tile is between them.
      expected = await runRandomGraph(this.#tensorflow.target, one, unoptimizedConfig());
    } catch (error) {
      return [`TensorFlow refuses it: ${errorText(error)}`];
    }
    try {
      const given = await runRandomGraph(this.#portable.target, one);
      const found = [...runDifferences(one, expected, given), ...this.#rejections()];
      if (found.length === 0) this.#count(one, given);
      return found;
    } catch (error) {
      return [`the portable engine refuses it: ${errorText(error)}`];
    }
  }

  #rejections(): string[] {
    const lines = this.#portable.output().match(rejected) ?? [];
    const added = lines.slice(this.#linesSeen);
    this.#linesSeen = lines.length;
    return added;
  }

  #count({ lowered, steps }: RandomGraph, { inSessions, largestRegion }: GraphRun): void {
    this.ran.lowered += lowered.size;
    this.ran.inSessions += inSessions.size;
    this.ran.largestRegion = Math.max(this.ran.largestRegion, largestRegion);
    if (steps.some(({ targets, fetches }) => targets.length > 0 && fetches.length > 0)) this.ran.updates += 1;
  }
}

/** The first value of a graph that alone is wrong, with all that it is made of; the whole graph where none is. */
async function smallest(servers: Servers, { whole, values, only }: RandomGraphs): Promise<string> {
  for (const value of values) {
    const part = only(value);
    const found = await servers.differences(part);
    if (found.length > 0) return `${value.output.name} alone: ${found.join("\n")}\n${graphText(part.graph)}`;
  }
  return `only together:\n${graphText(whole.graph)}`;
}

describe.skipIf(peerMissing("tensorflow"))(
  `random graphs give as regions what they give on TensorFlow (TENSORDECK_RANDOM_GRAPHS=${count} TENSORDECK_SEED=${settings.seed})`,
  () => {
    let servers: Servers;
    beforeAll(async () => {
      [servers] = await Promise.all([Servers.start(), initTfjs()]);
    });
    afterAll(() => servers?.stop());

    test("values, dtypes and shapes of every step", { timeout: 0 }, async () => {
      const failures: string[] = [];
      for (let i = 0; i < count && failures.length < settings.shown; i += 1) {
        const seed = settings.seed + i;
        const made = makeRandomGraph(seed);
        const found = await servers.differences(made.whole);
        if (found.length === 0) continue;
        const repeat = `TENSORDECK_RANDOM_GRAPHS=1 TENSORDECK_SEED=${seed}`;
        failures.push(`${repeat}\n${found.join("\n")}\n${await smallest(servers, made)}`);
      }
      expect(failures.join("\n\n")).toBe("");
      // That most of their nodes were run by sessions, in regions of many.
      const { lowered, inSessions, largestRegion, updates } = servers.ran;
      expect(inSessions).toBeGreaterThanOrEqual(LEAST_IN_SESSIONS * lowered);
      if (count >= GRAPHS_PER_CASE) {
        expect(largestRegion).toBeGreaterThanOrEqual(LEAST_LARGEST);
        expect(updates).toBeGreaterThan(0);
      }
    });
  },
);
