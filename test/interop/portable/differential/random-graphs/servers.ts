/** Compares what random graphs give on a TensorFlow server and on ours. */
import { unoptimizedConfig } from "../../../../../worker-runtime/session/trace/unoptimized-config.js";
import { type StartedWorker, startWorker } from "../../../worker-peers.js";
import { graphText } from "./graph-text.js";
import type { RandomGraph, RandomGraphs } from "./random-graph.js";
import { errorText, type GraphRun, runDifferences, runRandomGraph } from "./run-random-graph.js";

const rejected = /.* in ONNX Runtime and (?:is|are) run by kernels: .*/g;

/** A TensorFlow server and ours, which runs all regions as sessions. */
export class Servers {
  readonly #tensorflow: StartedWorker;
  readonly #portable: StartedWorker;
  /** Totals of all graphs that agreed. */
  readonly ran = { lowered: 0, inSessions: 0, largestRegion: 0, gradientsInSessions: 0, updates: 0 };
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

  #count(
    { lowered, steps }: RandomGraph,
    { inSessions, largestRegion, gradientsInSessions }: GraphRun,
  ): void {
    this.ran.gradientsInSessions += gradientsInSessions;
    this.ran.lowered += lowered.size;
    this.ran.inSessions += inSessions.size;
    this.ran.largestRegion = Math.max(this.ran.largestRegion, largestRegion);
    if (steps.some(({ targets, fetches }) => targets.length > 0 && fetches.length > 0)) this.ran.updates += 1;
  }
}

/** The first value of a graph that alone is wrong, with all that it is made of; the whole graph where none is. */
export async function smallest(servers: Servers, { whole, values, only }: RandomGraphs): Promise<string> {
  for (const value of values) {
    const part = only(value);
    const found = await servers.differences(part);
    if (found.length > 0) return `${value.output.name} alone: ${found.join("\n")}\n${graphText(part.graph)}`;
  }
  return `only together:\n${graphText(whole.graph)}`;
}
