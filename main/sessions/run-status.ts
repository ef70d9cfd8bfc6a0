/** What is known of a run, and telling it to the windows. */
import { randomUUID } from "node:crypto";
import type { Problem } from "../api/problem.js";
import type { RunState, RunUpdate } from "../api/runs.js";
import { defined } from "../problems.js";
import { KeptResults, type NamedTensor } from "./kept-results.js";
import { previewTensor } from "./previews.js";
import type { TracedStep } from "./trace-summary.js";
import { UpdateThrottle } from "./update-throttle.js";

export class RunStatus {
  readonly runId = randomUUID();
  readonly kept = new KeptResults();
  readonly #steps: number;
  readonly #throttle: UpdateThrottle;
  #state: RunState = "preparing";
  #phase: string | undefined;
  #step = 0;
  /** On the clock of performance.now(); absent before the first step. */
  #firstStepAt: number | undefined;
  #elapsedMillis = 0;
  #stepMillis: number | undefined;
  #stepRegisteredGraph: boolean | undefined;
  #sessionMillis: number | undefined;
  #master: string | undefined;
  /** Results of the newest step; written out only when they are shown. */
  #results: readonly NamedTensor[] = [];
  #traced: TracedStep | undefined;
  #problem: Problem | undefined;

  constructor(steps: number, emit: (update: RunUpdate) => void) {
    this.#steps = steps;
    this.#throttle = new UpdateThrottle(() => emit(this.update()));
  }

  get state(): RunState {
    return this.#state;
  }

  get isOver(): boolean {
    return this.#state === "done" || this.#state === "stopped" || this.#state === "failed";
  }

  get traced(): TracedStep | undefined {
    return this.#traced;
  }

  update(): RunUpdate {
    return defined({
      runId: this.runId,
      state: this.#state,
      phase: this.#phase,
      step: this.#step,
      steps: this.#steps,
      elapsedMillis: this.#elapsedMillis,
      stepMillis: this.#stepMillis,
      stepRegisteredGraph: this.#stepRegisteredGraph,
      sessionMillis: this.#sessionMillis,
      computeMillis: this.#traced?.computeMillis,
      master: this.#master,
      fetches: this.#results.map(({ name, tensor }) => previewTensor(name, tensor)),
      nodes: this.#traced?.nodes ?? [],
      transfers: this.#traced?.transfers ?? [],
      tracedStep: this.#traced?.step,
      problem: this.#problem,
    });
  }

  /** What goes on before the first step. */
  setPhase(phase: string): void {
    if (this.#state !== "preparing" || phase === this.#phase) return;
    this.#phase = phase;
    this.#throttle.now();
  }

  /** @param sessionMillis absent when an open session is used. */
  begin(master: string, sessionMillis: number | undefined): void {
    this.#master = master;
    this.#sessionMillis = sessionMillis;
    this.#phase = undefined;
    this.#firstStepAt = performance.now();
    if (this.#state === "preparing") this.#state = "running";
    this.#throttle.now();
  }

  stepDone(results: readonly NamedTensor[], stepMillis: number, registeredGraph: boolean): void {
    this.#step++;
    this.#stepMillis = stepMillis;
    this.#stepRegisteredGraph = registeredGraph;
    this.#elapsedMillis = performance.now() - (this.#firstStepAt ?? performance.now());
    this.#results = results;
    this.kept.set(results);
    this.#throttle.soon();
  }

  setTraced(traced: TracedStep): void {
    this.#traced = traced;
    this.#throttle.soon();
  }

  stopping(): void {
    if (this.isOver || this.#state === "stopping") return;
    this.#state = "stopping";
    this.#throttle.now();
  }

  /** Nothing changes after this. */
  end(state: "done" | "stopped" | "failed", problem?: Problem): void {
    if (this.isOver) return;
    this.#state = state;
    this.#phase = undefined;
    this.#problem = problem;
    this.#throttle.now();
    this.#throttle.dispose();
  }

  /** Lets go of the results when another run takes the place. */
  release(): void {
    this.#results = [];
    this.kept.set([]);
    this.#traced = undefined;
  }
}
