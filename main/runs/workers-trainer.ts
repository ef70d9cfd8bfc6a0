/** Between-graph training in a run: what is told of the workers, and what becomes of one that is lost. */

import type { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { withSharedSignal } from "../../worker-runtime/cancellation/shared-signal.js";
import type { RunRequest } from "../api/runs.js";
import type { TrainingPlan } from "../api/training.js";
import type { StepFeeds } from "./feed-batches.js";
import type { CheckedGraph, Pin } from "./graph-check.js";
import { taskEnded } from "./lost-tasks.js";
import type { Participant } from "./participants.js";
import type { CheckpointKeeper } from "./run-checkpoints.js";
import type { RunStatus } from "./run-status.js";
import { isSessionLost } from "./session-errors.js";
import type { SessionRequest } from "./session-keeper.js";
import { awaitBack, LOOK_MILLIS, nextChange, type PreparedTasks, type WaitedCluster } from "./task-wait.js";
import { type NamedTensor, namedTensors, type TensorStore } from "./tensors/tensor-store.js";
import { isTraced, traceOf } from "./trace-summary.js";
import { stepsOfWorkers, trainOnWorkers } from "./training-run.js";
import { WorkerFigures } from "./worker-figures.js";

export interface WorkersCollaborators {
  readonly cluster: WaitedCluster;
  /** Where the results are kept. */
  readonly tensors: Pick<TensorStore, "set">;
  readonly checkpoints: Pick<CheckpointKeeper, "begin">;
  /** After a loss, gives the variables the values of a checkpoint. Resolves with the steps that are done. */
  restoreIfLost(signal: AbortSignal): Promise<number>;
  /** Waits while the run is held. Resolves with whether another step is wanted. */
  goesOn(signal: AbortSignal): Promise<boolean>;
  /** The consequences of a step: a checkpoint, an evaluation, the end. */
  afterStep(step: number, results: readonly NamedTensor[], signal: AbortSignal): void;
  /** The session of a worker. */
  sessionOf(prepared: PreparedTasks, worker: Participant): SessionRequest;
}

/** The training of one attempt. */
export interface WorkersWork {
  readonly plan: TrainingPlan;
  readonly graph: CheckedGraph;
  readonly feeds: StepFeeds;
  readonly prepared: PreparedTasks;
  readonly pins: readonly Pin[];
  /** Tasks whose end explains an error; a worker that came back takes the place of the one before. */
  readonly all: Participant[];
}

type WorkersRequest = Pick<RunRequest, "steps" | "trace" | "traceEvery" | "softPlacement">;

export class WorkersTrainer {
  readonly #request: WorkersRequest;
  readonly #status: RunStatus;
  readonly #collaborators: WorkersCollaborators;
  /** After a recovery they go on. */
  #figures: WorkerFigures | undefined;

  constructor(request: WorkersRequest, status: RunStatus, collaborators: WorkersCollaborators) {
    this.#request = request;
    this.#status = status;
    this.#collaborators = collaborators;
  }

  /** Trains until the last step, or until no other is wanted. Resolves with the steps for which there are batches. */
  async train(
    { plan, graph, feeds, prepared, pins, all }: WorkersWork,
    signal: AbortSignal,
  ): Promise<number> {
    const { cluster, tensors, checkpoints, restoreIfLost, goesOn, afterStep, sessionOf } =
      this.#collaborators;
    const status = this.#status;
    const workers = plan.workers.flatMap((name) => prepared.members.find((one) => one.name === name) ?? []);
    this.#figures ??= new WorkerFigures(workers.map(({ name }) => name));
    const figures = this.#figures;
    figures.begin();
    status.setWorkers(figures);
    const steps = stepsOfWorkers(plan, this.#request.steps, feeds);
    const startedAt = performance.now();
    const done = await restoreIfLost(signal);
    let finished = done;
    /** Workers whose sessions have run a step. */
    const started = new Set<number>();
    await trainOnWorkers({
      ...{ plan, graph, feeds, steps, done, workers, signal },
      open: (worker, graphDef) => sessionOf(prepared, worker).open(graphDef, signal),
      begin: async () => {
        await checkpoints.begin(signal);
        status.begin(prepared.master.name, performance.now() - startedAt);
      },
      goesOn: () => goesOn(signal),
      isTraced: (number) => isTraced(number, { ...this.#request, steps }),
      onStep: (step) => {
        figures.add(step);
        const registeredGraph = !started.has(step.worker);
        started.add(step.worker);
        // Every worker has a part of a synchronous step; the first one's values stand for it.
        if (plan.synchronous && step.number <= finished) return;
        finished++;
        const results = namedTensors(graph.fetches, step.values);
        tensors.set(status.runId, finished, results);
        const timing = { millis: step.millis, registeredGraph };
        const [first, ...others] = step.stepStats;
        const trace = first && traceOf([first, ...others], finished, graph.graphDef);
        status.stepDone(results, timing, trace);
        afterStep(finished, results, signal);
      },
      goesOnWithout: async (worker, error) => {
        if ((await taskEnded(cluster, [worker], error)) === undefined) return false;
        figures.lose(worker.name, finished);
        status.workersChanged();
        return true;
      },
      comesBack: async (lost, graphDef, over) => {
        const back = await withSharedSignal([signal, over], (shared) =>
          this.#reopen(lost, graphDef, pins, shared),
        );
        if (!back) return undefined;
        all.splice(0, all.length, ...all.map((task) => (task.name === lost.name ? back.worker : task)));
        figures.regain(lost.name);
        // Its new session has no graph yet.
        started.delete(workers.findIndex(({ name }) => name === lost.name));
        status.workersChanged();
        return back;
      },
    });
    return steps;
  }

  /** A new session of a lost worker, when its task is back; undefined if that is no longer wanted. */
  async #reopen(lost: Participant, graphDef: GraphDef, pins: readonly Pin[], signal: AbortSignal) {
    const { cluster, sessionOf } = this.#collaborators;
    const { softPlacement } = this.#request;
    const pin = { node: lost.name, device: lost.name, job: lost.job, task: lost.index };
    const wait = {
      cluster,
      softPlacement,
      signal,
      pins: [{ ...pin, type: undefined, index: undefined }, ...pins],
    };
    while (!signal.aborted) {
      try {
        const prepared = await awaitBack({ ...wait, onPhase: () => undefined });
        const worker = prepared.needed.find(({ name }) => name === lost.name);
        if (!worker) return undefined;
        const session = await sessionOf(prepared, worker).open(graphDef, signal);
        return { worker, session };
      } catch (error) {
        if (signal.aborted) return undefined;
        if (!isSessionLost(error)) throw error;
        await nextChange(cluster, LOOK_MILLIS, signal);
      }
    }
    return undefined;
  }
}
