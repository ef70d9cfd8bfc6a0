/** Steps of between-graph replication: this process is the client of every worker, each of which has a session of its own. */
import type { RunMetadata } from "../../protos/generated/tensorflow/config.js";
import type { StepStats } from "../../protos/generated/tensorflow/step_stats.js";
import { inBackground } from "../faults.js";
import type { TrainingPlan } from "../graph/training/trainable/plan.js";
import { invalidArgument } from "../protocol/status.js";
import { Tensor } from "../protocol/tensor.js";
import type { Session } from "../session/session.js";

export type WorkerSession = Pick<Session, "run">;

/** One worker's part of a step. */
export interface WorkerStep {
  /** Index in `sessions`. */
  readonly worker: number;
  /** The number of the batch in asynchronous training, and of the step in synchronous training; from 1. */
  readonly number: number;
  /** The values of the tensors that were asked for. */
  readonly values: readonly (Tensor | undefined)[];
  readonly millis: number;
  /** The part of `millis` for which the worker waited for others, and for the update. */
  readonly waitedMillis: number;
  /** How many updates of others came between the reading of the variables and this worker's update. */
  readonly staleness: number | undefined;
  /**
   * The statistics of a traced step: one for each session run that it consists of, of synchronous training those of all
   * workers and the update. Empty if it was not traced.
   */
  readonly stepStats: readonly StepStats[];
}

export interface BetweenGraphOptions {
  readonly plan: TrainingPlan;
  /** By worker; each has the graph that `workerGraph` makes. */
  readonly sessions: readonly WorkerSession[];
  readonly fetches: readonly string[];
  /** Run by each worker in each step besides. */
  readonly targets?: readonly string[] | undefined;
  /** Asynchronous: how many batches all workers train on together. Synchronous: how many steps. */
  readonly steps: number;
  /** How many of them were done before: the first has the number after. Defaults to 0. */
  readonly done?: number | undefined;
  /** The feeds of the batch of a number, from 1; each is taken by one worker. */
  readonly feeds?: ((batch: number) => ReadonlyMap<string, Tensor>) | undefined;
  /** True for the numbers of steps, as in `WorkerStep`, that are traced. Defaults to none. */
  readonly isTraced?: ((number: number) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called before each step; false ends the training. */
  readonly goesOn?: (() => Promise<boolean>) | undefined;
  readonly onStep: (step: WorkerStep) => void | Promise<void>;
  /** Whether the others go on without a worker whose step failed. Otherwise the training fails with the error. */
  readonly goesOnWithout?: ((worker: number, error: unknown) => Promise<boolean>) | undefined;
  /**
   * Waits until the task of a worker that was lost is back, and opens its new session; undefined if it stays away. The
   * signal is aborted when the training is over.
   */
  readonly comesBack?:
    | ((worker: number, over: AbortSignal) => Promise<WorkerSession | undefined>)
    | undefined;
}

/**
 * Trains until all steps are done, or there is a reason to end before.
 * @throws the error of a step that the others do not go on after, or of the last worker that was left
 */
export async function trainBetweenGraph(options: BetweenGraphOptions): Promise<void> {
  const { asynchronous, synchronous } = options.plan;
  if (asynchronous) return new AsynchronousTraining(options).run();
  if (synchronous) return new SynchronousTraining(options).run();
  throw invalidArgument(`The scheme "${options.plan.scheme}" is run by one client in one session.`);
}

/** The workers that take part, and what becomes of one whose step fails. */
class Workers {
  readonly #options: BetweenGraphOptions;
  readonly #sessions: WorkerSession[];
  readonly #present: Set<number>;
  /** Aborted when no worker can take part any more. */
  readonly #over = new AbortController();
  /** Those that are waited for. */
  readonly #returning = new Set<Promise<boolean>>();

  constructor(options: BetweenGraphOptions) {
    this.#options = options;
    this.#sessions = [...options.sessions];
    this.#present = new Set(options.sessions.keys());
  }

  get present(): readonly number[] {
    return [...this.#present];
  }

  session(worker: number): WorkerSession {
    const session = this.#sessions[worker];
    if (session) return session;
    throw invalidArgument(`There is no worker ${worker}.`);
  }

  /** Goes on without the worker, or rethrows the error of its step. */
  async lose(worker: number, error: unknown): Promise<void> {
    const { goesOnWithout, signal } = this.#options;
    const isLast = this.#present.size <= 1;
    if (signal?.aborted || isLast || !(await goesOnWithout?.(worker, error))) throw error;
    this.#present.delete(worker);
    if (this.#present.size === 0) throw error;
  }

  /** Whether a lost worker takes part again: with a new session, as soon as its task is back. */
  async comesBack(worker: number): Promise<boolean> {
    const { comesBack } = this.#options;
    if (!comesBack || this.#over.signal.aborted) return false;
    const back = comesBack(worker, this.#over.signal).then((session) => {
      if (!session || this.#over.signal.aborted) return false;
      this.#sessions[worker] = session;
      this.#present.add(worker);
      return true;
    });
    this.#returning.add(back);
    try {
      return await back;
    } finally {
      this.#returning.delete(back);
    }
  }

  /** The training is over: nothing is waited for any more. */
  async end(): Promise<void> {
    this.#over.abort();
    await Promise.allSettled(this.#returning);
  }
}

/** Each worker steps on its own. */
class AsynchronousTraining {
  readonly #options: BetweenGraphOptions;
  readonly #workers: Workers;
  #taken: number;
  /** Batches of workers that were lost. */
  readonly #returned: number[] = [];
  #failed = false;
  /** A worker found nothing left to do. */
  #isDone = false;

  constructor(options: BetweenGraphOptions) {
    this.#options = options;
    this.#workers = new Workers(options);
    this.#taken = options.done ?? 0;
  }

  async run(): Promise<void> {
    const loops = this.#workers.present.map(async (worker) => {
      try {
        while (await this.#loop(worker)) if (!(await this.#workers.comesBack(worker))) return;
      } catch (error) {
        this.#failed = true;
        throw error;
      } finally {
        // Either nothing is left to do, or the training fails. One that only waited has nothing to say.
        if (this.#failed || this.#isDone) await this.#workers.end();
      }
    });
    const ends = await Promise.allSettled(loops);
    const failure = ends.find((end) => end.status === "rejected");
    if (failure) throw failure.reason;
  }

  /** Returns whether the worker was lost; otherwise there is nothing left to do. */
  async #loop(worker: number): Promise<boolean> {
    const { goesOn } = this.#options;
    while (!this.#failed && (goesOn ? await goesOn() : true)) {
      const batch = this.#nextBatch();
      if (batch === undefined) break;
      try {
        await this.#options.onStep(await this.#step(worker, batch));
      } catch (error) {
        await this.#workers.lose(worker, error);
        this.#returned.push(batch);
        return true;
      }
    }
    this.#isDone = true;
    return false;
  }

  #nextBatch(): number | undefined {
    return this.#returned.pop() ?? (this.#taken < this.#options.steps ? ++this.#taken : undefined);
  }

  async #step(worker: number, batch: number): Promise<WorkerStep> {
    const { plan, fetches, targets = [], feeds, isTraced, signal } = this.#options;
    const counters = plan.asynchronous ? [plan.asynchronous.before, plan.asynchronous.after] : [];
    const startedAt = performance.now();
    const { values, metadata } = await this.#workers.session(worker).run([...fetches, ...counters], {
      targets: [...targets, plan.train],
      ...(feeds ? { feeds: feeds(batch) } : {}),
      options: { trace: isTraced?.(batch) },
      signal,
    });
    const [before, after] = values.slice(fetches.length).map((tensor) => Number(tensor?.item()));
    return {
      ...{ worker, number: batch, values: values.slice(0, fetches.length), waitedMillis: 0 },
      millis: performance.now() - startedAt,
      staleness: before === undefined || after === undefined ? undefined : Math.max(0, after - before - 1),
      stepStats: statsOf(metadata),
    };
  }
}

/** All workers give their gradients, then one update applies the mean of them. */
class SynchronousTraining {
  readonly #options: BetweenGraphOptions;
  readonly #workers: Workers;

  constructor(options: BetweenGraphOptions) {
    this.#options = options;
    this.#workers = new Workers(options);
  }

  async run(): Promise<void> {
    const { steps, done = 0, goesOn } = this.#options;
    try {
      await this.#begin();
      for (let number = done + 1; number <= steps && (goesOn ? await goesOn() : true); number++) {
        await this.#step(number);
      }
    } finally {
      await this.#workers.end();
    }
  }

  /** Empties accumulators of what a step that was not completed has left there. */
  async #begin(): Promise<void> {
    const { plan, signal } = this.#options;
    const { counts = [], takes = [], required = "", begin = "" } = plan.synchronous ?? {};
    const [first = 0] = this.#workers.present;
    const session = this.#workers.session(first);
    const { values } = await session.run(counts, { signal });
    const left = takes.filter((_, at) => Number(values[at]?.item()) > 0);
    if (left.length > 0) {
      await session.run([], { targets: left, feeds: new Map([[required, Tensor.of(1, "int32")]]), signal });
    }
    await session.run([], { targets: [begin], signal });
  }

  async #step(number: number): Promise<void> {
    const trace = this.#options.isTraced?.(number);
    const startedAt = performance.now();
    const given = await this.#give(number, trace);
    const givenAt = performance.now();
    const updated = await this.#update(
      given.map(({ worker }) => worker),
      trace,
    );
    const endedAt = performance.now();
    const stepStats = [...given.flatMap((part) => statsOf(part.metadata)), ...statsOf(updated)];
    for (const { worker, values, at } of given) {
      await this.#options.onStep({
        ...{ worker, number, values, staleness: undefined, stepStats },
        millis: endedAt - startedAt,
        waitedMillis: Math.max(0, givenAt - at) + (endedAt - givenAt),
      });
    }
  }

  async #give(number: number, trace: boolean | undefined) {
    const { plan, sessions, fetches, targets = [], feeds, signal } = this.#options;
    const { give = "" } = plan.synchronous ?? {};
    const parts = this.#workers.present.map(async (worker) => {
      try {
        const { values, metadata } = await this.#workers.session(worker).run([...fetches], {
          targets: [...targets, give],
          ...(feeds ? { feeds: feeds((number - 1) * sessions.length + worker + 1) } : {}),
          options: { trace },
          signal,
        });
        return [{ worker, values, metadata, at: performance.now() }];
      } catch (error) {
        return [{ worker, error }];
      }
    });
    const ended = (await Promise.all(parts)).flat();
    for (const part of ended) {
      if (!("error" in part)) continue;
      await this.#workers.lose(part.worker, part.error);
      // It gives its gradients again from the first step after its return.
      inBackground(this.#workers.comesBack(part.worker));
    }
    return ended.flatMap((part) => ("error" in part ? [] : [part]));
  }

  /** By the first of the workers that have given their gradients. */
  async #update(given: readonly number[], trace: boolean | undefined): Promise<RunMetadata | undefined> {
    const { plan, signal } = this.#options;
    const [first] = given;
    if (first === undefined) throw invalidArgument("No worker has given its gradients.");
    const { metadata } = await this.#workers.session(first).run([], {
      targets: [plan.train],
      feeds: new Map([[plan.synchronous?.required ?? "", Tensor.of(given.length, "int32")]]),
      options: { trace },
      signal,
    });
    return metadata;
  }
}

function statsOf(metadata: RunMetadata | undefined): readonly StepStats[] {
  return metadata?.stepStats ? [metadata.stepStats] : [];
}
