import { join } from "node:path";
import { withDeadline } from "../../worker-runtime/cancellation/deadline.js";
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
/**
 * Programs run steps by the thousand. In its first three thousand a client still compiles its JavaScript, on the cores that
 * the server needs, and one step in ten takes several times as long.
 */
const SMALL_WARM_UP_STEPS = 6_000;
const LARGE_WARM_UP_STEPS = 3;
/** The time of everything together. */
const DEADLINE_MILLIS = 300_000;
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

interface Times {
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}

/** Our client and Python's, on one TensorFlow server. */
class Clients {
  readonly #python: PythonClient;
  readonly #steps: ReturnType<typeof ourSteps>;

  private constructor(session: Session, python: PythonClient) {
    this.#python = python;
    this.#steps = ourSteps(session);
  }

  /** Runs `measure` with both clients and a server, which are ended afterwards. */
  static async use<T>(measure: (clients: Clients) => Promise<T>): Promise<T> {
    const server = await spawnPeer(tensorflowPython(), [join(benchFolder, "python_server.py")], {
      ready: /target (grpc:\/\/\S+)/,
    });
    try {
      const target = server.match?.[1] ?? "";
      const python = await startPythonClient(target, LARGE_BYTES);
      return await withDeadline(DEADLINE_MILLIS, undefined, async (signal) => {
        const session = new Session(target, { graph: python.graph, signal });
        try {
          return await measure(new Clients(session, python));
        } finally {
          await session.close();
          await python.stop();
        }
      });
    } finally {
      await server.stop();
    }
  }

  smallStep(): Promise<Times> {
    return this.#inTurns("step", SMALL_STEPS_PER_ROUND, SMALL_WARM_UP_STEPS);
  }

  largeStep(step: "feed" | "fetch"): Promise<Times> {
    return this.#inTurns(step, LARGE_STEPS_PER_ROUND, LARGE_WARM_UP_STEPS);
  }

  /** Times of both clients, of which neither is always the first in a round. Warming up does not count. */
  async #inTurns(step: TimedStep, count: number, warmUp: number): Promise<Times> {
    const ourStep = this.#steps[step];
    await timeOurs(ourStep, warmUp);
    await this.#python.time(step, warmUp);
    const ours: number[] = [];
    const theirs: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      if (round % 2 === 0) ours.push(...(await timeOurs(ourStep, count)));
      theirs.push(...(await this.#python.time(step, count)));
      if (round % 2 === 1) ours.push(...(await timeOurs(ourStep, count)));
    }
    return { ours, theirs };
  }
}

function smallStepRows({ ours, theirs }: Times): readonly Row[] {
  return [
    {
      what: "our client's small step, median",
      unit: "ms",
      ours: median(ours),
      theirs: median(theirs),
      target: { better: "lower", goal: 0.9, limit: 1.1 },
    },
    {
      what: "our client's small step, 90th percentile",
      unit: "ms",
      ours: quantile(ours, 0.9),
      theirs: quantile(theirs, 0.9),
      target: { better: "lower", goal: 1, limit: 1.4 },
    },
  ];
}

function largeStepRow(step: "feed" | "fetch", { ours, theirs }: Times): Row {
  return { what: `${step} of 64 MB`, unit: "MB/s", ours: rate(ours), theirs: rate(theirs) };
}

/** A small step of both clients: its median and its 90th percentile. */
export async function measureClientStep(): Promise<readonly Row[]> {
  return await Clients.use(async (clients) => smallStepRows(await clients.smallStep()));
}

/** Steps of both clients on one stock server, in turns. */
export const stepsMeasurement: Measurement = {
  name: "steps, feeds and fetches on the same tf.distribute.Server",
  async run(): Promise<readonly Row[]> {
    return await Clients.use(async (clients) => [
      ...smallStepRows(await clients.smallStep()),
      largeStepRow("feed", await clients.largeStep("feed")),
      largeStepRow("fetch", await clients.largeStep("fetch")),
    ]);
  },
};
