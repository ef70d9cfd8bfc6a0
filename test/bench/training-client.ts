/**
 * Our program of the training benchmark: the sessions of all workers, in one process. Usage: training-client.ts
 * CLUSTER_JSON. It answers the same lines as training_client.py, which explains them.
 */
import { createInterface } from "node:readline";
import { StepStats } from "../../protos/generated/tensorflow/step_stats.js";
import {
  type ClusterDict,
  MonitoredTrainingSession,
  ops,
  type RunResult,
  Session,
  type SessionConfig,
  type SessionRunHook,
  type StepOptions,
  SyncReplicasHook,
  taskDeviceName,
  taskText,
} from "../../worker-runtime/index.js";
import {
  betweenGraph,
  inGraph,
  type ModelName,
  ring,
  type SchemeName,
  type TrainingGraph,
} from "./training-graphs.js";

const RECOVERING_WORKERS = 2;
const CHECKPOINT_STEPS = 100;
/** Steps of each worker before a task is killed. */
const STEPS_BEFORE = 20;
const MILLIS_PER_SECOND = 1_000;

interface Turn {
  readonly steps: number;
  readonly seconds: number;
}

/** Sessions that train one model in one way. */
interface Training {
  /** Trains for so long. */
  turn(seconds: number): Promise<Turn>;
  /** A step of which worker 0's part is traced. */
  trace(): Promise<RunResult>;
  close(): Promise<void>;
}

const cluster = JSON.parse(process.argv[2] ?? "{}") as ClusterDict & Record<string, string[]>;

const target = (worker: number) => `grpc://${cluster.worker?.[worker]}`;

/** A session that uses these workers and the parameter server. */
function only(workers: readonly number[]): SessionConfig {
  return {
    deviceFilters: ["/job:ps", ...workers.map((index) => taskText({ job: "worker", index }))],
    experimental: { collectiveGroupLeader: taskDeviceName({ job: "worker", index: 0 }) },
  };
}

const indices = (count: number): readonly number[] => [...Array(count).keys()];

/** A replica of each worker in one graph, which the session of worker 0 runs. */
class OneSession implements Training {
  readonly #made: TrainingGraph;
  readonly #session: Session;

  private constructor(made: TrainingGraph, session: Session) {
    this.#made = made;
    this.#session = session;
  }

  static async create(made: TrainingGraph, workers: number): Promise<OneSession> {
    const initializer = ops.globalVariablesInitializer(made.graph);
    const session = new Session(target(0), { graph: made.graph, config: only(indices(workers)) });
    await session.run([], { targets: [initializer] });
    return new OneSession(made, session);
  }

  async turn(seconds: number): Promise<Turn> {
    const started = performance.now();
    let steps = 0;
    for (; performance.now() < started + seconds * MILLIS_PER_SECOND; steps += 1) await this.#step();
    return { steps, seconds: (performance.now() - started) / MILLIS_PER_SECOND };
  }

  trace(): Promise<RunResult> {
    return this.#step({ trace: true });
  }

  close(): Promise<void> {
    return this.#session.close();
  }

  #step(options?: StepOptions): Promise<RunResult> {
    const { loss, train, feeds } = this.#made;
    return this.#session.run([loss], { targets: [train], feeds, options });
  }
}

/** A session for each worker. If synchronous, all give gradients for each step. */
class BetweenGraph implements Training {
  readonly #isSynchronous: boolean;
  readonly #sessions: (TrainingGraph & { readonly session: MonitoredTrainingSession })[] = [];

  private constructor(isSynchronous: boolean) {
    this.#isSynchronous = isSynchronous;
  }

  static async create(model: ModelName, workers: number, isSynchronous: boolean): Promise<BetweenGraph> {
    const training = new BetweenGraph(isSynchronous);
    for (const worker of indices(workers)) {
      const made = betweenGraph(model, worker, workers, cluster, isSynchronous);
      const isChief = worker === 0;
      const { graph, synchronous } = made;
      const hooks = synchronous ? [new SyncReplicasHook(synchronous, { isChief, numTokens: 0 })] : [];
      const session = await MonitoredTrainingSession.create({
        ...{ graph, isChief, hooks, master: target(worker), session: { config: only([worker]) } },
      });
      training.#sessions.push({ ...made, session });
    }
    return training;
  }

  async turn(seconds: number): Promise<Turn> {
    const started = performance.now();
    const goesOn = () => performance.now() < started + seconds * MILLIS_PER_SECOND;
    let steps = 0;
    if (this.#isSynchronous) {
      for (; goesOn(); steps += 1) await this.#inStep();
    } else {
      await Promise.all(
        this.#sessions.map(async (_, worker) => {
          for (; goesOn(); steps += 1) await this.#step(worker);
        }),
      );
    }
    return { steps, seconds: (performance.now() - started) / MILLIS_PER_SECOND };
  }

  async trace(): Promise<RunResult> {
    const [first] = await this.#inStep({ trace: true });
    if (first === undefined) throw new Error("There is no worker.");
    return first;
  }

  async close(): Promise<void> {
    for (const { session } of this.#sessions.toReversed()) await session.close();
  }

  /** A step of each worker at the same time. */
  #inStep(options?: StepOptions): Promise<RunResult[]> {
    return Promise.all(
      this.#sessions.map((_, worker) => this.#step(worker, worker === 0 ? options : undefined)),
    );
  }

  #step(worker: number, options?: StepOptions): Promise<RunResult> {
    const made = this.#sessions[worker];
    if (made === undefined) throw new Error(`There is no worker ${worker}.`);
    const { session, loss, train, feeds } = made;
    return session.run([loss], { targets: [train], feeds, options });
  }
}

/** Asynchronous training that goes on after failures. */
class Recovery {
  /** By worker: how many sessions it had, how many steps it did, and the number of the session of the last one. */
  readonly #sessions: number[] = indices(RECOVERING_WORKERS).map(() => 0);
  readonly #steps: number[] = [...this.#sessions];
  readonly #last: number[] = [...this.#sessions];
  #marked: readonly number[] = [];
  #error: unknown;
  readonly #waiting = new Set<() => void>();

  static async start(folder: string): Promise<Recovery> {
    const recovery = new Recovery();
    for (const worker of indices(RECOVERING_WORKERS)) {
      recovery.#loop(worker, folder).catch((error: unknown) => {
        recovery.#error = error;
        recovery.#changed();
      });
      await recovery.#until(() => (recovery.#steps[worker] ?? 0) >= STEPS_BEFORE);
    }
    return recovery;
  }

  mark(): void {
    this.#marked = [...this.#last];
  }

  recovered(worker: number): Promise<void> {
    return this.#until(() => (this.#last[worker] ?? 0) > (this.#marked[worker] ?? 0));
  }

  async #loop(worker: number, folder: string): Promise<void> {
    const { graph, loss, train, feeds } = betweenGraph("mlp", worker, RECOVERING_WORKERS, cluster, false);
    const counts: SessionRunHook = {
      afterCreateSession: async () => {
        this.#sessions[worker] = (this.#sessions[worker] ?? 0) + 1;
      },
    };
    const session = await MonitoredTrainingSession.create({
      ...{ graph, isChief: worker === 0, master: target(worker), session: { config: only([worker]) } },
      ...{ hooks: [counts], checkpointDir: folder, saveCheckpointSteps: CHECKPOINT_STEPS },
    });
    for (;;) {
      await session.run([loss], { targets: [train], feeds });
      this.#steps[worker] = (this.#steps[worker] ?? 0) + 1;
      this.#last[worker] = this.#sessions[worker] ?? 0;
      this.#changed();
    }
  }

  #changed(): void {
    for (const check of [...this.#waiting]) check();
  }

  #until(condition: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = () => {
        if (this.#error === undefined && !condition()) return;
        this.#waiting.delete(check);
        if (this.#error === undefined) resolve();
        else reject(this.#error);
      };
      this.#waiting.add(check);
      check();
    });
  }
}

interface Chosen {
  readonly scheme: SchemeName;
  readonly model: ModelName;
  readonly workers: number;
}

type Request =
  | ({ readonly do: "train"; readonly seconds: number } & Chosen)
  | ({ readonly do: "trace"; readonly steps: number } & Chosen)
  | { readonly do: "end" }
  | { readonly do: "recover"; readonly folder: string }
  | { readonly do: "mark" }
  | { readonly do: "recovered"; readonly worker: number };

let training: Training | undefined;
let recovery: Recovery | undefined;

function create({ scheme, model, workers }: Chosen): Promise<Training> {
  switch (scheme) {
    case "in-graph":
      return OneSession.create(inGraph(model, workers, cluster), workers);
    case "ring":
      return OneSession.create(ring(model, workers), workers);
    default:
      return BetweenGraph.create(model, workers, scheme === "sync");
  }
}

async function answer(request: Request): Promise<object> {
  switch (request.do) {
    case "train":
      training ??= await create(request);
      return await training.turn(request.seconds);
    case "trace": {
      training ??= await create(request);
      const stats: string[] = [];
      for (let step = 0; step < request.steps; step += 1) {
        const { metadata } = await training.trace();
        const bytes = StepStats.encode(metadata?.stepStats ?? StepStats.create()).finish();
        stats.push(Buffer.from(bytes).toString("base64"));
      }
      return { stats };
    }
    case "end":
      if (training !== undefined) {
        await training.close();
        training = undefined;
        await Session.reset(target(0));
      }
      return {};
    case "recover":
      recovery = await Recovery.start(request.folder);
      return {};
    case "mark":
      recovery?.mark();
      return {};
    case "recovered":
      await recovery?.recovered(request.worker);
      return {};
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const answered = await answer(JSON.parse(line) as Request).catch((error: unknown) => ({
    error: error instanceof Error ? error.message : String(error),
  }));
  process.stdout.write(`${JSON.stringify(answered)}\n`);
}
// Loops of a recovery go on for ever.
process.exit(0);
