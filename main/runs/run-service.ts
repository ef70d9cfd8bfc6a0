/**
 * Runs, one at a time: a cluster's devices are shared, and the results on the canvas belong to one run. Others wait in a
 * queue.
 */
import type { RunSummary, ScalarCurve } from "../api/run-history.js";
import type { RunDocument } from "../api/run-state.js";
import type { RunRequest, RunUpdate } from "../api/runs.js";
import { columnsOf } from "../api/trace-columns.js";
import { EVENTS_PER_PART, type StepTrace, type TraceEvents, type TraceHead } from "../api/traces.js";
import type { EmitEvent } from "../shared/events.js";
import { log } from "../shared/log/log.js";
import { problem } from "../shared/problems.js";
import type { ReadFeeds } from "./feeds.js";
import { Run } from "./run.js";
import type { RunArchive } from "./run-archive.js";
import type { RunCluster } from "./run-cluster.js";
import { RunHistory } from "./run-history.js";
import { RunQueue } from "./run-queue.js";
import type { RunReport } from "./run-report.js";
import { settingsOf } from "./run-settings.js";
import { RunStatus } from "./run-status.js";
import { type FolderOf, SavedValues } from "./saved-values.js";
import { SessionKeeper } from "./session-keeper.js";
import type { TensorStore } from "./tensors/tensor-store.js";
import { chromeTraceOf } from "./trace-summary.js";

/** Runs before the newest one that can go on: each holds its graph. */
const MOST_RESUMABLE = 5;
/** Tasks exchange their last messages of a step within this time. */
const SETTLE_MILLIS = 2000;

export interface RunServiceCollaborators {
  /** The one on which a run that begins now runs to its end. */
  readonly cluster: () => RunCluster;
  readonly emit: EmitEvent;
  readonly readFeeds: ReadFeeds;
  /** Where the results are kept. */
  readonly tensors: TensorStore;
  /** The folder of an opened SavedModel; undefined if unknown. */
  readonly folderOf: FolderOf;
  /** Where the runs of saved documents are kept for the next start of the application. */
  readonly archive: RunArchive;
  /** Where checkpoints of documents without a file are saved. */
  readonly checkpointFolder: string;
}

export class RunService {
  readonly #collaborators: RunServiceCollaborators;
  readonly #sessions = { plain: new SessionKeeper(), optimized: new SessionKeeper() };
  readonly #savedValues: SavedValues;
  readonly #history = new RunHistory();
  /** Resolves when the runs of before are known. */
  readonly ready: Promise<void>;
  #dropped = 0;
  readonly #queue: RunQueue;
  #latest: Run | undefined;
  /** Earlier ones that lost a task and can go on from a checkpoint, by id, the oldest first. */
  readonly #resumable = new Map<string, Run>();
  /** The run in progress or the last one; resolves when it is over. */
  #running: Promise<void> = Promise.resolve();
  #endedAt = 0;

  constructor(collaborators: RunServiceCollaborators) {
    this.#collaborators = collaborators;
    this.#queue = new RunQueue((queue) => collaborators.emit("runQueue", queue));
    this.#savedValues = new SavedValues(collaborators.folderOf);
    this.ready = this.#restore();
  }

  async #restore(): Promise<void> {
    const { archive } = this.#collaborators;
    try {
      const { runs, dropped } = await archive.load();
      this.#dropped = dropped;
      archive.forget(this.#history.restore(runs));
    } catch (error) {
      log.error("The runs of before cannot be listed.", error);
    }
  }

  /** How many runs of before could not be read, and are lost. */
  get dropped(): number {
    return this.#dropped;
  }

  /** @throws ProblemError FAILED_PRECONDITION while another run is in progress. */
  start(request: RunRequest): { runId: string } {
    this.#replaceLatest();
    const { checkpointFolder, cluster, emit, readFeeds, tensors } = this.#collaborators;
    const status = new RunStatus(request, (update) => emit("run", update));
    this.#release(this.#history.add(status, settingsOf(request)));
    const run = new Run(request, status, {
      cluster: cluster(),
      readFeeds,
      tensors,
      checkpointFolder,
      sessions: this.#sessions,
      savedValues: this.#savedValues,
    });
    this.#latest = run;
    this.#follow(run, run.execute());
    return { runId: status.runId };
  }

  /** @throws ProblemError FAILED_PRECONDITION while it is in progress. */
  #replaceLatest(): void {
    const replaced = this.#latest;
    if (!replaced) return;
    const { status } = replaced;
    if (!status.isOver) {
      throw problem("FAILED_PRECONDITION", "A run is already in progress.", {
        remedy: "Stop it first, or wait until it ends.",
      });
    }
    status.release();
    if (status.recovery) this.#resumable.set(status.runId, replaced);
    const [oldest] = this.#resumable.keys();
    if (oldest !== undefined && this.#resumable.size > MOST_RESUMABLE) this.dismissRecovery(oldest);
  }

  #follow({ status }: Run, execution: Promise<void>): void {
    const { archive, tensors } = this.#collaborators;
    this.#running = execution.finally(() => {
      this.#endedAt = Date.now();
      const kept = this.#history.kept(status.runId);
      if (kept) archive.keep(kept, tensors.resultsOf(status.runId));
      this.#startNext();
    });
  }

  /** @throws ProblemError FAILED_PRECONDITION for a run that cannot go on from a checkpoint, and while another one runs. */
  goOn(runId: string): void {
    const run = this.#resumable.get(runId) ?? this.#latest;
    if (run?.status.runId !== runId || !run.status.recovery) {
      throw problem("FAILED_PRECONDITION", "This run cannot go on.", {
        reason: "Only a training can that lost a task, and has saved a checkpoint.",
        remedy: "Run the graph again.",
      });
    }
    if (run !== this.#latest) this.#replaceLatest();
    this.#resumable.delete(runId);
    this.#latest = run;
    this.#follow(run, run.goOn());
  }

  /** Does nothing for a run that cannot go on. */
  dismissRecovery(runId: string): void {
    const run = this.#resumable.get(runId) ?? this.#latest;
    if (run?.status.runId !== runId || !run.status.recovery) return;
    run.status.withdrawRecovery();
    this.#resumable.delete(runId);
  }

  /** Begins a run when those before it are over. @throws ProblemError RESOURCE_EXHAUSTED when too many wait */
  enqueue(request: RunRequest): void {
    this.#queue.add(request);
    this.#startNext();
  }

  /** Does nothing for a run that has begun. */
  dequeue(queueId: string): void {
    this.#queue.remove(queueId);
  }

  #startNext(): void {
    if (this.#latest && !this.#latest.status.isOver) return;
    // Windows hear of the run before it leaves the queue: there is no moment at which it is in neither.
    this.#queue.beginNext((request) => this.start(request));
  }

  /** Does nothing for a finished run. */
  pause(runId: string): void {
    this.#run(runId).pause();
  }

  /** After the step in progress; does nothing for a finished run. */
  saveCheckpoint(runId: string): void {
    this.#run(runId).saveCheckpoint();
  }

  resume(runId: string): void {
    this.#run(runId).resume();
  }

  /** Does nothing for a finished run. */
  stop(runId: string, abort: boolean): void {
    this.#run(runId).stop(abort);
  }

  latest(): RunUpdate | undefined {
    return this.#latest?.status.update();
  }

  /** Whether a run goes on there. */
  runsOn(cluster: RunCluster): boolean {
    return this.#latest !== undefined && !this.#latest.status.isOver && this.#latest.cluster === cluster;
  }

  /** Whether a run goes on, or ended so recently that what it sent between tasks may still be on its way. */
  isGoing(): boolean {
    const isOver = this.#latest?.status.isOver ?? true;
    return !isOver || Date.now() - this.#endedAt < SETTLE_MILLIS;
  }

  /** The newest runs, the newest first. */
  history(): RunSummary[] {
    return this.#history.summaries();
  }

  /** @throws ProblemError NOT_FOUND when the run is no longer kept. */
  scalars(runId: string): ScalarCurve[] {
    return this.#kept(runId).scalars.curves();
  }

  /** The last news of a run. @throws ProblemError NOT_FOUND when the run is no longer kept. */
  kept(runId: string): RunUpdate {
    return this.#kept(runId).update();
  }

  /** @throws ProblemError NOT_FOUND when the run or its step's trace is no longer kept */
  trace(runId: string, step: number): TraceHead {
    const { nodes, transfers, ...head } = this.#trace(runId, step);
    return { ...head, nodeCount: nodes.length, transferCount: transfers.length };
  }

  /** @throws ProblemError NOT_FOUND when the run or its step's trace is no longer kept */
  traceEvents(runId: string, step: number, from: number): TraceEvents {
    return columnsOf(this.#trace(runId, step), from, EVENTS_PER_PART);
  }

  #trace(runId: string, step: number): StepTrace {
    const trace = this.#kept(runId).traces.find(step);
    if (trace) return trace;
    throw problem("NOT_FOUND", `The trace of step ${step} is no longer kept.`, {
      reason: "Of a run, the first traced step and the newest ones are.",
    });
  }

  /** Forgets the runs of a document that have ended. */
  clear(document: RunDocument): void {
    this.#release(this.#history.clear(document));
  }

  /** Keeps the runs of a document on disk, too, now that it is saved: those that are over, go on, and wait. */
  documentSaved(document: Required<RunDocument>): void {
    const { archive, tensors } = this.#collaborators;
    this.#queue.documentSaved(document);
    for (const run of this.#history.saved(document)) {
      // One that goes on is kept at its end.
      if (run.status.isOver) archive.keep(run, tensors.resultsOf(run.status.runId));
    }
  }

  #release(runIds: readonly string[]): void {
    const { tensors, archive } = this.#collaborators;
    for (const runId of runIds) {
      tensors.release(runId);
      this.#resumable.delete(runId);
    }
    if (runIds.length > 0) archive.forget(runIds);
  }

  #kept(runId: string): RunReport {
    const status = this.#history.find(runId);
    if (status) return status;
    throw problem("NOT_FOUND", "This run is no longer kept.", {
      reason: "Only the newest runs of each document are.",
    });
  }

  /** @throws ProblemError FAILED_PRECONDITION when no step was traced. */
  chromeTrace(runId: string): string {
    const { traced } = this.#run(runId).status;
    if (traced) return chromeTraceOf(traced);
    throw problem("FAILED_PRECONDITION", "No step of this run was traced.", {
      remedy: "Turn on Trace and run.",
    });
  }

  /** Cancels the run in progress and closes the session. */
  async dispose(): Promise<void> {
    this.#queue.clear();
    this.#latest?.stop(true);
    await this.#running;
    await this.#collaborators.archive.settled();
    await Promise.all([this.#sessions.plain.dispose(), this.#sessions.optimized.dispose()]);
  }

  #run(runId: string): Run {
    if (this.#latest?.status.runId === runId) return this.#latest;
    throw problem("NOT_FOUND", "This run is no longer known.", {
      reason: "Only the newest run is kept.",
      remedy: "Run again.",
    });
  }
}
