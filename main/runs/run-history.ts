import type { RunSettings, RunSummary } from "../api/run-history.js";
import { isOfDocument, type RunDocument } from "../api/run-state.js";
import { defined } from "../shared/problems.js";
import type { RunReport } from "./run-report.js";

/** Runs that are kept of one document, and of all. */
const MAX_RUNS_OF_DOCUMENT = 20;
const MAX_RUNS = 200;
/** Limit for the values, traces and curves of all runs together; their tensors have one of their own. */
const MAX_KEPT_BYTES = 64 << 20;

const NOTHING: RunSettings = { fetches: [], targets: [], feeds: [] };

export interface KeptRun {
  readonly number: number;
  readonly startedAt: number;
  readonly status: RunReport;
  readonly settings: RunSettings;
}

/** The newest runs of the application, with those of before it was started. */
export class RunHistory {
  readonly #maxBytes: number;
  /** The oldest first. */
  #runs: readonly KeptRun[] = [];
  #count = 0;

  constructor(maxBytes = MAX_KEPT_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the ids of the runs that made room. */
  add(status: RunReport, settings: RunSettings = NOTHING): string[] {
    this.#count += 1;
    return this.#add({ number: this.#count, startedAt: Date.now(), status, settings });
  }

  /** Adds runs of before, the oldest first, to an empty history. Returns the ids of those for which there is no room. */
  restore(runs: readonly KeptRun[]): string[] {
    this.#count = runs.reduce((most, { number }) => Math.max(most, number), this.#count);
    return runs.flatMap((run) => this.#add(run));
  }

  #add(run: KeptRun): string[] {
    const origin = originOf(run);
    // Runs of no document are of one and the same.
    const ofDocument = this.#runs.filter((kept) =>
      origin === undefined ? originOf(kept) === undefined : isOfDocument(originOf(kept), origin),
    );
    const surplus = new Set(ofDocument.slice(0, Math.max(0, ofDocument.length + 1 - MAX_RUNS_OF_DOCUMENT)));
    let left = [...this.#runs.filter((kept) => !surplus.has(kept)), run].slice(-MAX_RUNS);
    let bytes = left.reduce((sum, kept) => sum + kept.status.keptBytes, 0);
    while (left.length > 1 && bytes > this.#maxBytes) {
      bytes -= left[0]?.status.keptBytes ?? 0;
      left = left.slice(1);
    }
    return this.#replace(left);
  }

  /** Forgets the runs of a document that have ended, and returns their ids. */
  clear(document: RunDocument): string[] {
    return this.#replace(
      this.#runs.filter((run) => !isOfDocument(originOf(run), document) || !run.status.isOver),
    );
  }

  /** A document without a file was saved as one. Returns its runs, which are those of the file now. */
  saved(document: Required<RunDocument>): KeptRun[] {
    const moved = this.#runs.filter((run) => {
      const { id, path } = originOf(run) ?? {};
      return id === document.id && path === undefined;
    });
    for (const { status } of moved) status.moveTo(document);
    return moved;
  }

  /** Undefined if it is no longer kept. */
  find(runId: string): RunReport | undefined {
    return this.kept(runId)?.status;
  }

  /** Undefined if it is no longer kept. */
  kept(runId: string): KeptRun | undefined {
    return this.#runs.find(({ status }) => status.runId === runId);
  }

  /** The newest first. */
  summaries(): RunSummary[] {
    return this.#runs.toReversed().map(({ number, startedAt, status, settings }) => {
      const { runId, origin, state, step, steps, elapsedMillis } = status.progress();
      const scalars = status.scalars.summaries();
      const tracedSteps = status.traces.all.map(({ step: traced }) => traced);
      return defined({
        ...{
          runId,
          number,
          origin,
          startedAt,
          state,
          step,
          steps,
          elapsedMillis,
          settings,
          tracedSteps,
          scalars,
        },
        recovery: status.recovery,
      });
    });
  }

  #replace(runs: readonly KeptRun[]): string[] {
    const gone = this.#runs.filter((run) => !runs.includes(run));
    this.#runs = runs;
    return gone.map(({ status }) => status.runId);
  }
}

function originOf({ status }: KeptRun): RunDocument | undefined {
  return status.progress().origin;
}
