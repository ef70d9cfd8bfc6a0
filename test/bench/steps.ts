import { join } from "node:path";
import { Session } from "../../worker-runtime/session/session.js";
import { tensorflowPython } from "../support/find-peers.js";
import { spawnPeer } from "../support/processes.js";
import { benchFolder, type PythonClient, startPythonClient, type TimedStep } from "./python-client.js";
import { type Measurement, median, quantile, type Row } from "./report.js";

const LARGE_BYTES = 64 * 1024 * 1024;
/** Many short turns: what else the machine does then falls on both alike. */
const ROUNDS = 20;
const SMALL_STEPS_PER_ROUND = 100;
const LARGE_STEPS_PER_ROUND = 1;
const SMALL_WARM_UP_STEPS = 1_000;
const LARGE_WARM_UP_STEPS = 3;
const MILLIS_PER_SECOND = 1_000;
const BYTES_PER_MB = 1_000_000;

/** Our client's steps, the same as Python's. */
function ourSteps(session: Session): Record<TimedStep, () => Promise<unknown>> {
  const data = new Float32Array(LARGE_BYTES / Float32Array.BYTES_PER_ELEMENT).fill(1);
  return {
    step: () => session.run(["x:0"], { feeds: { "a:0": 3, "b:0": 2 } }),
    feed: () => session.run(["first:0"], { feeds: { "big_in:0": data } }),
    fetch: () => session.run(["big_out:0"]),
  };
}

async function timeOurs(step: () => Promise<unknown>, count: number): Promise<number[]> {
  const millis: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const started = performance.now();
    await step();
    millis.push(performance.now() - started);
  }
  return millis;
}

const rate = (millis: readonly number[]): number =>
  LARGE_BYTES / BYTES_PER_MB / (median(millis) / MILLIS_PER_SECOND);

/** Times of both clients, of which neither is always the first in a round. Warming up does not count. */
async function inTurns(
  ourStep: () => Promise<unknown>,
  python: PythonClient,
  step: TimedStep,
  count: number,
  warmUp: number,
): Promise<{ ours: number[]; theirs: number[] }> {
  await timeOurs(ourStep, warmUp);
  await python.time(step, warmUp);
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    if (round % 2 === 0) ours.push(...(await timeOurs(ourStep, count)));
    theirs.push(...(await python.time(step, count)));
    if (round % 2 === 1) ours.push(...(await timeOurs(ourStep, count)));
  }
  return { ours, theirs };
}

/** Steps of both clients on one stock server, in turns. */
export const stepsMeasurement: Measurement = {
  name: "steps, feeds and fetches on the same tf.distribute.Server",
  async run(): Promise<readonly Row[]> {
    const server = await spawnPeer(tensorflowPython(), [join(benchFolder, "python_server.py")], {
      ready: /target (grpc:\/\/\S+)/,
    });
    const target = server.match?.[1] ?? "";
    const python = await startPythonClient(target, LARGE_BYTES);
    const session = new Session(target, { graph: python.graph });
    try {
      const ours = ourSteps(session);
      const step = await inTurns(ours.step, python, "step", SMALL_STEPS_PER_ROUND, SMALL_WARM_UP_STEPS);
      const feed = await inTurns(ours.feed, python, "feed", LARGE_STEPS_PER_ROUND, LARGE_WARM_UP_STEPS);
      const fetch = await inTurns(ours.fetch, python, "fetch", LARGE_STEPS_PER_ROUND, LARGE_WARM_UP_STEPS);
      return [
        {
          what: "small step, median",
          unit: "ms",
          ours: median(step.ours),
          theirs: median(step.theirs),
          better: "lower",
        },
        {
          what: "small step, p90",
          unit: "ms",
          ours: quantile(step.ours, 0.9),
          theirs: quantile(step.theirs, 0.9),
          better: "lower",
        },
        {
          what: "feed of 64 MB",
          unit: "MB/s",
          ours: rate(feed.ours),
          theirs: rate(feed.theirs),
          better: "higher",
        },
        {
          what: "fetch of 64 MB",
          unit: "MB/s",
          ours: rate(fetch.ours),
          theirs: rate(fetch.theirs),
          better: "higher",
        },
      ];
    } finally {
      await session.close();
      await python.stop();
      await server.stop();
    }
  },
};
