/** The measurements of each worker while several train one model. */
import type { WorkerStep } from "../../worker-runtime/training/between-graph.js";
import { MOST_STALE, type TrainingFigures } from "../api/training.js";

/** Means are of so many of the newest steps of a worker. */
const RECENT = 50;

interface Figures {
  steps: number;
  readonly recent: WorkerStep[];
  lostAtStep: number | undefined;
  /** How often it was lost and has come back. */
  returns: number;
}

export class WorkerFigures {
  readonly #names: readonly string[];
  readonly #figures: readonly Figures[];
  readonly #staleness: number[] = [];

  /** @param names "worker/0", as steps number them */
  constructor(names: readonly string[]) {
    this.#names = names;
    this.#figures = names.map(() => ({ steps: 0, recent: [], lostAtStep: undefined, returns: 0 }));
  }

  /** All take part. */
  begin(): void {
    for (const figures of this.#figures) figures.lostAtStep = undefined;
  }

  add(step: WorkerStep): void {
    const figures = this.#figures[step.worker];
    if (!figures) return;
    figures.steps++;
    figures.recent.push(step);
    if (figures.recent.length > RECENT) figures.recent.shift();
    if (step.staleness === undefined) return;
    const stale = Math.min(step.staleness, MOST_STALE);
    while (this.#staleness.length <= stale) this.#staleness.push(0);
    this.#staleness[stale] = (this.#staleness[stale] ?? 0) + 1;
  }

  /** @param step of the run */
  lose(name: string, step: number): void {
    const figures = this.#figures[this.#names.indexOf(name)];
    if (figures) figures.lostAtStep = step;
  }

  /** It takes part again. */
  regain(name: string): void {
    const figures = this.#figures[this.#names.indexOf(name)];
    if (!figures) return;
    figures.lostAtStep = undefined;
    figures.returns += 1;
    // Its pace before tells nothing of the new server.
    figures.recent.length = 0;
  }

  report(): TrainingFigures {
    const most = Math.max(...this.#figures.map(({ steps }) => steps));
    return {
      workers: this.#figures.map(({ steps, recent, lostAtStep, returns }, at) => {
        const millis = recent.reduce((sum, step) => sum + step.millis, 0);
        const waited = recent.reduce((sum, step) => sum + step.waitedMillis, 0);
        return {
          ...{ name: this.#names[at] ?? "", steps, behind: most - steps },
          ...(recent.length === 0
            ? {}
            : { stepMillis: millis / recent.length, waitingShare: waited / millis }),
          ...(lostAtStep === undefined ? {} : { lostAtStep }),
          ...(returns === 0 ? {} : { returns }),
        };
      }),
      staleness: [...this.#staleness],
    };
  }
}
