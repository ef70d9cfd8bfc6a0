/** One run, from the window's request to the last step. */
import type { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { restoreText } from "../../worker-runtime/session/saved-model/restore.js";
import type { RunRequest } from "../api/runs.js";
import { Evaluations } from "./evaluations.js";
import { Evaluator } from "./evaluator.js";
import { type StepFeeds, withConstants } from "./feed-batches.js";
import type { ReadFeeds } from "./feeds.js";
import { type CheckedGraph, checkGraph, type Pin, pinsOf } from "./graph-check.js";
import { keepsStateInKernels } from "./kernel-state.js";
import { taskEnded, watchTasks } from "./lost-tasks.js";
import { checkCollectives, type Participant } from "./participants.js";
import { PauseGate } from "./pause-gate.js";
import { TrainingRecovery } from "./recovery.js";
import { CheckpointKeeper } from "./run-checkpoints.js";
import type { RunCluster } from "./run-cluster.js";
import { runProblem } from "./run-problem.js";
import type { RunStatus } from "./run-status.js";
import { type SavedValues, SavedValuesError } from "./saved-values.js";
import { endsFromHere, isSessionLost, isUninitialised } from "./session-errors.js";
import type { ReadySession, SessionKeeper, SessionRequest } from "./session-keeper.js";
import { planRunSession } from "./session-plan.js";
import { StopConditions } from "./stop-conditions.js";
import {
  awaitReturn,
  awaitTasks,
  type PreparedTasks,
  type TaskWait,
  tasksOfPins,
  watchedTasks,
} from "./task-wait.js";
import { type NamedTensor, namedTensors, type TensorStore } from "./tensors/tensor-store.js";
import { isTraced, traceOf, warmStepOf } from "./trace-summary.js";
import { checkPlan, initializeVariables, isBetweenGraph, pinsOfWorkers } from "./training-run.js";
import { variableHolders } from "./variables/variable-holders.js";
import { WorkersTrainer } from "./workers-trainer.js";

export interface RunCollaborators {
  readonly cluster: RunCluster;
  readonly sessions: RunSessions;
  readonly readFeeds: ReadFeeds;
  readonly savedValues: SavedValues;
  /** Where the results are kept. */
  readonly tensors: TensorStore;
  /** Where checkpoints of documents without a file are saved. */
  readonly checkpointFolder: string;
}

/**
 * Two sessions are kept: one in which every node of the user is run unchanged, for steps that are traced, and one in
 * which TensorFlow rewrites the graph for speed, for the steps after the first of a long run. Variables are the same
 * in both: they belong to the tasks. A graph with session state is run in the first session only.
 */
export interface RunSessions {
  readonly plain: SessionKeeper;
  readonly optimized: SessionKeeper;
}

export class Run {
  readonly status: RunStatus;
  readonly #request: RunRequest;
  readonly #collaborators: RunCollaborators;
  /** Aborted to end the step or the preparation in progress. */
  readonly #abort = new AbortController();
  /** The user has requested to stop. */
  #stopAsked = false;
  /** Closed while the run is paused. */
  readonly #gate = new PauseGate();
  readonly #checkpoints: CheckpointKeeper;
  readonly #recovery: TrainingRecovery;
  readonly #stops: StopConditions;
  /** Used if every worker has a session of its own. */
  readonly #workers: WorkersTrainer;
  readonly #evaluations: Evaluations | undefined;
  /** The values of an earlier run that this one was fed: part of its results, so that the next one can use it, too. */
  #reused: readonly NamedTensor[] = [];
  /** A stop condition holds. */
  #isDone = false;
  /** Which one. */
  #reason = "";

  constructor(request: RunRequest, status: RunStatus, collaborators: RunCollaborators) {
    this.#request = request;
    this.status = status;
    this.#collaborators = collaborators;
    this.#stops = new StopConditions(request.stops ?? []);
    const { evaluation } = request;
    this.#evaluations =
      evaluation &&
      new Evaluations(
        new Evaluator(request, evaluation, collaborators.cluster),
        async (step, results, signal) => {
          status.evaluated(step, results);
          await this.#checkpoints.evaluated(step, results, signal);
          this.#endIfMet(results);
        },
      );
    this.#checkpoints = new CheckpointKeeper(request, {
      cluster: collaborators.cluster,
      folder: collaborators.checkpointFolder,
      onChange: (checkpoints) => status.setCheckpoints(checkpoints),
    });
    this.#recovery = new TrainingRecovery(request, this.#checkpoints, status);
    this.#workers = new WorkersTrainer(request, status, {
      ...{ cluster: collaborators.cluster, tensors: collaborators.tensors, checkpoints: this.#checkpoints },
      restoreIfLost: (signal) => this.#restoreIfLost(signal),
      goesOn: async (signal) => {
        await this.#passGate(signal);
        return !this.#stopAsked && !this.#isDone;
      },
      afterStep: (step, results, signal) => this.#afterStep(step, results, signal),
      sessionOf: (prepared, worker) => this.#sessionPlan(prepared, worker, !request.trace),
    });
  }

  /** Where it runs. */
  get cluster(): RunCluster {
    return this.#collaborators.cluster;
  }

  /** Finishes the current step, then ends; with `abort`, and while nothing runs yet, ends at once. */
  stop(abort: boolean): void {
    if (this.status.isOver) return;
    this.#stopAsked = true;
    this.#gate.open();
    if (abort || this.status.state === "preparing") this.#abort.abort();
    this.status.stopping();
  }

  /** Holds the run after its current step. */
  pause(): void {
    if (!this.status.isOver && !this.#stopAsked) this.#gate.close();
  }

  resume(): void {
    this.#gate.open();
  }

  /** Saves a checkpoint after the current step. */
  saveCheckpoint(): void {
    if (!this.status.isOver) this.#checkpoints.ask(this.status.state === "paused", this.#abort.signal);
  }

  /** After it failed because a task was lost: restores a checkpoint and runs the steps after it. Never rejects. */
  async goOn(): Promise<void> {
    this.#stopAsked = false;
    this.status.recovering();
    await this.execute();
  }

  /** Runs to the end. Never rejects: errors are reported in the status. */
  async execute(): Promise<void> {
    let graph: CheckedGraph | undefined;
    try {
      this.status.setPhase("Checking the graph");
      graph = checkGraph(this.#request);
      await this.#runAndRecover(graph, pinsOf(graph.nodes));
      await this.#checkpoints.finish(this.#abort.signal);
      if (this.#stops.restoresBest) await this.#restoreBest();
      this.status.end(this.#stopAsked ? "stopped" : "done");
    } catch (error) {
      if (this.#stopAsked && this.#abort.signal.aborted) {
        this.status.end("stopped");
        return;
      }
      const tasks = participants(this.#collaborators.cluster);
      this.status.end(
        "failed",
        runProblem(this.#recovery.explained(error), {
          nodes: graph?.nodes ?? new Map(),
          stepTimeoutMillis: this.#request.stepTimeoutMillis,
          taskAt: (address) => tasks.find((task) => task.address === address)?.name,
        }),
      );
    } finally {
      await this.#evaluations?.dispose();
      await this.#checkpoints.dispose();
    }
  }

  async #runAndRecover(graph: CheckedGraph, pins: readonly Pin[]): Promise<void> {
    for (;;) {
      try {
        await this.#run(graph, pins);
        await this.#evaluations?.finish(this.status.progress().step, this.#abort.signal);
        return;
      } catch (error) {
        if (this.#stopAsked || !this.#recovery.failed(error)) throw error;
        this.status.recovering();
      }
    }
  }

  async #run(graph: CheckedGraph, pins: readonly Pin[]): Promise<void> {
    const { signal } = this.#abort;
    const { sessions, readFeeds, cluster } = this.#collaborators;
    if (this.#request.feeds.length > 0) this.status.setPhase("Reading the feeds");
    const reused = await this.#reusedTensors();
    const feeds = withConstants(await readFeeds(this.#request, graph, signal), reused);
    await this.#evaluations?.prepare(readFeeds, signal);
    this.status.setExamplesPerStep(feeds.examples?.(1));
    const ofWorkers = isBetweenGraph(this.#request.training) ? pinsOfWorkers(this.#request.training) : [];
    const prepared = await this.#awaitTasks([...pins, ...ofWorkers]);
    checkCollectives(graph.nodes, prepared.members, cluster.membership);
    cluster.noteVariables(variableHolders(graph.nodes, prepared));
    // A worker that is lost does not end the training, unless variables are on it.
    const all = watchedTasks(prepared);
    const watched = ofWorkers.length === 0 ? all : tasksOfPins(prepared, pins);
    const step = new AbortController();
    const pass = () => step.abort(signal.reason);
    signal.addEventListener("abort", pass, { once: true });
    if (signal.aborted) pass();
    const unwatch = watchTasks(cluster, watched, (error) => step.abort(error));
    try {
      const { trace } = this.#request;
      const { training } = this.#request;
      if (training) checkPlan(training, graph);
      if (isBetweenGraph(training)) {
        // All workers share what is restored.
        if (this.#request.restore) {
          const one = await this.#openSession(graph, prepared, false, step.signal);
          await this.#restore(graph, prepared, one, step.signal);
        }
        const steps = await this.#workers.train(
          { plan: training, graph, feeds, prepared, pins, all },
          step.signal,
        );
        this.#endWithEpochs(steps);
        return;
      }
      const steps = this.#stepsWith(feeds);
      const plain = await this.#openSession(graph, prepared, false, step.signal);
      await this.#restore(graph, prepared, plain, step.signal);
      const done = await this.#restoreIfLost(step.signal);
      const plainSteps =
        trace || keepsStateInKernels(graph.graphDef)
          ? steps
          : Math.min(Math.max(done + 1, warmStepOf(steps)), steps);
      if (training) await initializeVariables(training, plain.session, step.signal);
      await this.#checkpoints.begin(step.signal);
      this.status.begin(prepared.master.name, plain.isNew ? plain.openMillis : undefined);
      this.#reused = [...reused].map(([name, tensor]) => ({ name, tensor }));
      await this.#runSteps(graph, feeds, plain, done + 1, plainSteps, step.signal);
      if (steps > plainSteps && !this.#stopAsked && !this.#isDone) {
        const optimized = await this.#openSession(graph, prepared, true, step.signal);
        await this.#runSteps(graph, feeds, optimized, plainSteps + 1, steps, step.signal);
      }
      this.#endWithEpochs(steps);
    } catch (error) {
      if (isUninitialised(error)) this.#collaborators.savedValues.forget(this.#request.restore?.sourceId);
      if (!signal.aborted) {
        // The error of a call is often only a consequence of a task that ended; the reason of that end is
        // more useful.
        const cause = await taskEnded(cluster, all, error);
        if (isSessionLost(error) || cause) {
          sessions.plain.discard();
          sessions.optimized.discard();
        }
        throw cause ?? error;
      }
      throw error;
    } finally {
      unwatch();
      signal.removeEventListener("abort", pass);
    }
  }

  /** How many steps are asked for and have batches. */
  #stepsWith(feeds: StepFeeds): number {
    return Math.min(this.#request.steps, feeds.steps ?? Number.POSITIVE_INFINITY);
  }

  /** After a loss, gives the variables the values of a checkpoint. Returns the steps that are done. */
  async #restoreIfLost(signal: AbortSignal): Promise<number> {
    const done = this.#recovery.isDue ? await this.#recovery.restore(signal) : 0;
    this.#evaluations?.goOnFrom(done);
    return done;
  }

  /** @param steps for which there are batches */
  #endWithEpochs(steps: number): void {
    if (steps < this.#request.steps && !this.#stopAsked && !this.#isDone)
      this.status.endsEarly(epochsText(this.#request));
  }

  /** The consequences of a step: a checkpoint, an evaluation, the end. */
  #afterStep(step: number, results: readonly NamedTensor[], signal: AbortSignal): void {
    this.#checkpoints.stepDone(step, results, signal);
    this.#endIfMet(results);
    this.#evaluations?.stepDone(step, signal);
  }

  async #restoreBest(): Promise<void> {
    const step = await this.#checkpoints.restoreBest(this.#abort.signal);
    if (step === undefined) return;
    this.status.endsEarly(`${this.#reason}; the variables have the values of step ${step} again`);
  }

  #endIfMet(results: readonly NamedTensor[]): void {
    const reason = this.#stops.met(results);
    if (reason === undefined || this.#isDone) return;
    this.status.endsEarly(reason);
    this.#reason = reason;
    this.#isDone = true;
  }

  /** Waits while the run is paused, the model is evaluated, or a checkpoint is saved. */
  async #passGate(signal: AbortSignal): Promise<void> {
    if (this.#gate.isClosed) {
      this.status.paused();
      await this.#gate.pass(signal);
      this.status.resumed();
    }
    await this.#evaluations?.settled();
    await this.#checkpoints.settled();
  }

  /** @throws ProblemError NOT_FOUND when the earlier run's results are no longer kept */
  async #reusedTensors(): Promise<Map<string, Tensor>> {
    const { runId = "", names = [] } = this.#request.reused ?? {};
    const tensors = new Map<string, Tensor>();
    for (const name of names)
      tensors.set(name, (await this.#collaborators.tensors.find({ runId, name })).tensor);
    return tensors;
  }

  async #restore(
    graph: CheckedGraph,
    { members }: PreparedTasks,
    { session }: ReadySession,
    signal: AbortSignal,
  ) {
    const { restore } = this.#request;
    const { savedValues } = this.#collaborators;
    savedValues.forgetOthers(restore?.sourceId, graph.graphDef);
    if (!restore) return;
    try {
      await savedValues.restore(restore, graph.graphDef, {
        session,
        members,
        onProgress: (progress) => this.status.setPhase(restoreText(progress)),
        signal,
      });
    } catch (error) {
      if (error instanceof SavedValuesError) this.status.setRestoreFailed();
      throw error;
    }
  }

  #awaitTasks(pins: readonly Pin[]): Promise<PreparedTasks> {
    const { cluster } = this.#collaborators;
    const wait: TaskWait = {
      ...{ cluster, pins, softPlacement: this.#request.softPlacement, signal: this.#abort.signal },
      onPhase: (text) => this.status.setPhase(text),
    };
    return this.#recovery.isDue ? awaitReturn(wait, cluster) : awaitTasks(wait);
  }

  async #openSession(
    graph: CheckedGraph,
    prepared: PreparedTasks,
    optimize: boolean,
    signal: AbortSignal,
  ): Promise<ReadySession & { readonly openMillis: number }> {
    const { sessions } = this.#collaborators;
    const startedAt = performance.now();
    const plan = this.#sessionPlan(prepared, prepared.master, optimize);
    const keeper = optimize ? sessions.optimized : sessions.plain;
    const ready = await keeper.obtain(plan, graph.graphDef, this.#request.graph, signal);
    return { ...ready, openMillis: performance.now() - startedAt };
  }

  #sessionPlan({ members }: PreparedTasks, master: Participant, optimize: boolean): SessionRequest {
    const { cluster } = this.#collaborators;
    const { softPlacement, logDevicePlacement } = this.#request;
    return planRunSession(
      {
        membership: cluster.membership,
        allTasks: participants(cluster).filter(({ unusable }) => !unusable),
        members,
        master,
        softPlacement,
        logDevicePlacement,
        optimize,
      },
      (text) => this.status.setPhase(text),
    );
  }

  async #runSteps(
    graph: CheckedGraph,
    feeds: StepFeeds,
    ready: ReadySession,
    from: number,
    to: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { stepTimeoutMillis } = this.#request;
    const { fetches, targets } = graph;
    const traceOptions = { ...this.#request, steps: this.#stepsWith(feeds) };
    const signature = JSON.stringify([[...feeds.names].sort(), fetches, targets]);
    for (let number = from; number <= to && !this.#stopAsked && !this.#isDone; number++) {
      await this.#passGate(signal);
      if (this.#stopAsked || this.#isDone) return;
      const traced = isTraced(number, traceOptions);
      const registersGraph = ready.isFirstStep(signature);
      const startedAt = performance.now();
      const step = ready.session.run(fetches, {
        feeds: feeds.at(number),
        targets,
        options: { trace: traced, ...(stepTimeoutMillis ? { timeoutMillis: stepTimeoutMillis } : {}) },
        signal,
      });
      const { values, metadata } = await step.catch((error: unknown) => {
        // TensorFlow's master loses a cancellation that arrives while it is still registering the graph. Only closing
        // the session ends such a step there, which otherwise would consume values meant for later ones, such as a
        // queue's element.
        if (registersGraph && endsFromHere(error, signal)) ready.giveUp();
        throw error;
      });
      const timing = { millis: performance.now() - startedAt, registeredGraph: registersGraph };
      const results = [...namedTensors(fetches, values), ...this.#reused];
      const trace =
        traced && metadata?.stepStats ? traceOf([metadata.stepStats], number, graph.graphDef) : undefined;
      this.#collaborators.tensors.set(this.status.runId, number, results);
      this.status.stepDone(results, timing, trace);
      this.#afterStep(number, results, signal);
    }
  }
}

function epochsText({ batches }: RunRequest): string {
  return batches?.epochs === 1 ? "its epoch was over" : `its ${batches?.epochs} epochs were over`;
}

export function participants(cluster: Pick<RunCluster, "tasks">): Participant[] {
  return [...cluster.tasks()];
}
