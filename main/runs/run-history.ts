import type { RunSummary } from "../api/run-history.js";
import { defined } from "../shared/problems.js";
import type { RunStatus } from "./run-status.js";

/** Runs that are kept with their scalars. */
const MAX_RUNS = 20;

interface KeptRun {
  readonly number: number;
  readonly startedAt: number;
  readonly status: RunStatus;
}

/** The newest runs of the application. */
export class RunHistory {
  /** The oldest first. */
  #runs: readonly KeptRun[] = [];
  #count = 0;

  add(status: RunStatus): void {
    this.#count += 1;
    const run = { number: this.#count, startedAt: Date.now(), status };
    this.#runs = [...this.#runs, run].slice(-MAX_RUNS);
  }

  /** Undefined if it is no longer kept. */
  find(runId: string): RunStatus | undefined {
    return this.#runs.find(({ status }) => status.runId === runId)?.status;
  }

  /** The newest first. */
  summaries(): RunSummary[] {
    return this.#runs.toReversed().map(({ number, startedAt, status }) => {
      const { runId, origin, state, step, steps, elapsedMillis } = status.progress();
      const scalars = status.scalars.summaries();
      return defined({ runId, number, origin, startedAt, state, step, steps, elapsedMillis, scalars });
    });
  }
}
