/** Runs, one at a time: a cluster's devices are shared, and the results on the canvas belong to one run. */
import type { Params } from "../api/contract.js";
import type { RunRequest, RunUpdate, TensorPreview } from "../api/runs.js";
import type { ClusterService } from "../cluster/cluster-service.js";
import type { EmitEvent } from "../shared/events.js";
import { problem } from "../shared/problems.js";
import type { ReadFeeds } from "./feeds.js";
import { Run } from "./run.js";
import { RunStatus } from "./run-status.js";
import { type FolderOf, SavedValues } from "./saved-values.js";
import { SessionKeeper } from "./session-keeper.js";
import { chromeTraceOf } from "./trace-summary.js";

export interface RunServiceCollaborators {
  readonly cluster: Pick<ClusterService, "tasks" | "membership" | "onChange">;
  readonly emit: EmitEvent;
  readonly readFeeds: ReadFeeds;
  /** The folder of an opened SavedModel; undefined if unknown. */
  readonly folderOf: FolderOf;
}

export class RunService {
  readonly #collaborators: RunServiceCollaborators;
  readonly #sessions = { plain: new SessionKeeper(), optimized: new SessionKeeper() };
  readonly #savedValues: SavedValues;
  #latest: Run | undefined;
  /** The run in progress or the last one; resolves when it is over. */
  #running: Promise<void> = Promise.resolve();

  constructor(collaborators: RunServiceCollaborators) {
    this.#collaborators = collaborators;
    this.#savedValues = new SavedValues(collaborators.folderOf);
  }

  /** @throws ProblemError FAILED_PRECONDITION while another run is in progress. */
  start(request: RunRequest): { runId: string } {
    if (this.#latest && !this.#latest.status.isOver) {
      throw problem("FAILED_PRECONDITION", "A run goes on already.", {
        remedy: "Stop it first, or wait until it is done.",
      });
    }
    this.#latest?.status.release();
    const { cluster, emit, readFeeds } = this.#collaborators;
    const status = new RunStatus(request, (update) => emit("run", update));
    const run = new Run(request, status, {
      cluster,
      readFeeds,
      sessions: this.#sessions,
      savedValues: this.#savedValues,
    });
    this.#latest = run;
    this.#running = run.execute();
    return { runId: status.runId };
  }

  /** Does nothing for a finished run. */
  stop(runId: string, abort: boolean): void {
    this.#run(runId).stop(abort);
  }

  latest(): RunUpdate | undefined {
    return this.#latest?.status.update();
  }

  tensor({ runId, name, offset, count }: Params<"runs.tensor">): TensorPreview {
    return this.#run(runId).status.kept.slice(name, offset, count);
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
    this.#latest?.stop(true);
    await this.#running;
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
