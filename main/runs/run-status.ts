/** The status of a run, and its reports to the windows. */
import { randomUUID } from "node:crypto";
import type { RunCheckpoints } from "../api/checkpoints.js";
import type { Evaluation } from "../api/evaluation.js";
import type { Problem } from "../api/problem.js";
import type { Recovery, RecoveryOffer } from "../api/recoveries.js";
import type { RunDocument, RunOrigin, RunState } from "../api/run-state.js";
import type { RunRequest, RunUpdate } from "../api/runs.js";
import { EVENTS_PER_PART } from "../api/traces.js";
import { defined } from "../shared/problems.js";
import { scalarOf } from "../shared/scalar-series.js";
import { UpdateThrottle } from "../shared/update-throttle.js";
import { previewTensor } from "./previews.js";
import type { RunReport } from "./run-report.js";
import { ScalarLog } from "./scalar-log.js";
import type { NamedTensor } from "./tensors/tensor-store.js";
import { TraceLog } from "./trace-log.js";
import type { TracedStep } from "./trace-summary.js";
import type { WorkerFigures } from "./worker-figures.js";

/** How long a step took, as the client saw it. */
export interface StepTiming {
  readonly millis: number;
  /** The step was the first of its kind, which includes placing and registering the graph. */
  readonly registeredGraph: boolean;
}

/** The options of every run. */
const OWN_BYTES = 200;

export class RunStatus implements RunReport {
  readonly runId = randomUUID();
  readonly scalars = new ScalarLog();
  readonly traces = new TraceLog();
  readonly #request: Pick<RunRequest, "steps" | "trace" | "origin" | "restore">;
  readonly #throttle: UpdateThrottle;
  #origin: RunOrigin | undefined;
  #state: RunState = "preparing";
  #phase: string | undefined;
  #step = 0;
  /** On the clock of performance.now(); absent before the first step. */
  #firstStepAt: number | undefined;
  #elapsedMillis = 0;
  /** When the phase or the step in progress began, on the same clock. */
  #currentSince = performance.now();
  #timing: StepTiming | undefined;
  #sessionMillis: number | undefined;
  #master: string | undefined;
  /** Results of the newest step; written out only when they are shown. */
  #results: readonly NamedTensor[] = [];
  #traced: { readonly step: TracedStep; readonly timing: StepTiming } | undefined;
  #endedEarly: string | undefined;
  #figures: WorkerFigures | undefined;
  #checkpoints: RunCheckpoints | undefined;
  #examplesPerStep: number | undefined;
  #evaluation: Evaluation | undefined;
  #restoreFailed = false;
  readonly #recoveries: Recovery[] = [];
  #recovery: RecoveryOffer | undefined;
  #problem: Problem | undefined;
  /** Set once the run is released. */
  #kept: RunUpdate | undefined;

  constructor(
    request: Pick<RunRequest, "steps" | "trace" | "origin" | "restore">,
    emit: (update: RunUpdate) => void,
  ) {
    this.#request = request;
    this.#origin = request.origin;
    this.#throttle = new UpdateThrottle(() => emit(this.update()));
  }

  get state(): RunState {
    return this.#state;
  }

  get isOver(): boolean {
    return this.#state === "done" || this.#state === "stopped" || this.#state === "failed";
  }

  get traced(): TracedStep | undefined {
    return this.#traced?.step;
  }

  moveTo(document: Required<RunDocument>): void {
    if (this.#origin === undefined) return;
    this.#origin = { ...this.#origin, ...document };
    if (this.#kept) this.#kept = { ...this.#kept, origin: this.#origin };
  }

  /** How far it is. */
  progress() {
    return {
      runId: this.runId,
      origin: this.#origin,
      state: this.#state,
      step: this.#step,
      steps: this.#request.steps,
      elapsedMillis: this.#elapsedMillis,
    };
  }

  update(): RunUpdate {
    if (this.#kept) return this.#kept;
    return defined({
      ...this.progress(),
      phase: this.#phase,
      trace: this.#request.trace,
      currentMillis: this.isOver ? 0 : performance.now() - this.#currentSince,
      stepMillis: this.#timing?.millis,
      stepRegisteredGraph: this.#timing?.registeredGraph,
      sessionMillis: this.#sessionMillis,
      tracedStepMillis: this.#traced?.timing.millis,
      tracedStepRegisteredGraph: this.#traced?.timing.registeredGraph,
      computeMillis: this.#traced?.step.computeMillis,
      master: this.#master,
      training: this.#figures?.report(),
      examplesPerStep: this.#examplesPerStep,
      evaluation: this.#evaluation,
      checkpoints: this.#checkpoints,
      recoveries: this.#recoveries.length > 0 ? [...this.#recoveries] : undefined,
      recovery: this.#recovery,
      fetches: this.#results.map(({ name, tensor }) => previewTensor(name, tensor)),
      ...eventsToTell(this.#traced?.step),
      tracedStep: this.#traced?.step.step,
      endedEarly: this.#endedEarly,
      withoutSavedValues: this.#request.restore?.wanted === false || undefined,
      restoreFailed: this.#restoreFailed || undefined,
      problem: this.#problem,
    });
  }

  /** The current phase before the first step. */
  setPhase(phase: string): void {
    if (this.#state !== "preparing" || phase === this.#phase) return;
    this.#phase = phase;
    this.#currentSince = performance.now();
    this.#throttle.now();
  }

  /** @param sessionMillis absent when an open session is used. */
  begin(master: string, sessionMillis: number | undefined): void {
    this.#master = master;
    this.#sessionMillis = sessionMillis;
    this.#phase = undefined;
    this.#currentSince = performance.now();
    // The steps before a recovery count, too.
    this.#firstStepAt = this.#currentSince - this.#elapsedMillis;
    if (this.#state === "preparing") this.#state = "running";
    this.#throttle.now();
  }

  /**
   * The results of a step are reported together, so that no window sees the trace of one step with the values of
   * another.
   */
  stepDone(results: readonly NamedTensor[], timing: StepTiming, traced: TracedStep | undefined): void {
    this.#step++;
    this.#timing = timing;
    if (traced) {
      this.#traced = { step: traced, timing };
      this.traces.add(traced, timing);
    }
    this.#currentSince = performance.now();
    this.#elapsedMillis = this.#currentSince - (this.#firstStepAt ?? this.#currentSince);
    this.#results = results;
    this.scalars.add(this.#step, results);
    this.#throttle.soon();
  }

  /** The model was evaluated after a step; its values are curves of their own. */
  evaluated(step: number, results: readonly NamedTensor[]): void {
    this.scalars.add(step, results);
    const values = results.map(({ name, tensor }) => ({ name, value: scalarOf(tensor) ?? Number.NaN }));
    this.#evaluation = { step, values };
    this.#throttle.soon();
  }

  /** How many rows a step is fed, as far as that is known. */
  setExamplesPerStep(examples: number | undefined): void {
    this.#examplesPerStep = examples;
  }

  /** Reports what is measured of the workers, too. */
  setWorkers(figures: WorkerFigures): void {
    this.#figures = figures;
  }

  /** A worker was lost, or came back. */
  workersChanged(): void {
    this.#throttle.soon();
  }

  /** The checkpoints that were saved, are being saved, or could not be. */
  setCheckpoints(checkpoints: RunCheckpoints): void {
    this.#checkpoints = checkpoints;
    this.#throttle.soon();
  }

  /** The run is done after this step, for a reason of its own. */
  endsEarly(reason: string): void {
    this.#endedEarly = reason;
  }

  /** The run is going to fail because saved values could not be read. */
  setRestoreFailed(): void {
    this.#restoreFailed = true;
  }

  /** A task was lost: the run prepares to go on from a checkpoint, also after it had ended and was released. */
  recovering(): void {
    this.#kept = undefined;
    this.#state = "preparing";
    this.#phase = undefined;
    this.#problem = undefined;
    this.#recovery = undefined;
    this.#currentSince = performance.now();
    this.#throttle.now();
  }

  /** A checkpoint was restored: the next step is the one after `step`. */
  recovered(recovery: Recovery, step: number): void {
    this.#recoveries.push(recovery);
    this.#step = step;
    this.scalars.rewindTo(step);
    this.traces.rewindTo(step);
    if (this.#traced && this.#traced.step.step > step) this.#traced = undefined;
    this.#throttle.soon();
  }

  /** The run is going to fail, but can go on from a checkpoint. */
  offerRecovery(offer: RecoveryOffer): void {
    this.#recovery = offer;
  }

  /** The run is held between two steps. */
  paused(): void {
    if (this.#state !== "running") return;
    this.#state = "paused";
    this.#currentSince = performance.now();
    this.#throttle.now();
  }

  resumed(): void {
    // The time in which nothing ran is no part of what the run took.
    const held = performance.now() - this.#currentSince;
    if (this.#firstStepAt !== undefined) this.#firstStepAt += held;
    this.#currentSince = performance.now();
    if (this.#state !== "paused") return;
    this.#state = "running";
    this.#throttle.now();
  }

  stopping(): void {
    if (this.isOver || this.#state === "stopping") return;
    this.#state = "stopping";
    this.#throttle.now();
  }

  /** The final state. */
  end(state: "done" | "stopped" | "failed", problem?: Problem): void {
    if (this.isOver) return;
    this.#state = state;
    this.#phase = undefined;
    this.#problem = problem;
    this.#throttle.now();
    this.#throttle.dispose();
  }

  /** How it can go on; undefined if it cannot. */
  get recovery(): RecoveryOffer | undefined {
    return this.#recovery;
  }

  /** It is not going to go on. */
  withdrawRecovery(): void {
    this.#recovery = undefined;
    if (this.#kept) {
      const { recovery: _, ...kept } = this.#kept;
      this.#kept = kept;
    } else this.#throttle.now();
  }

  /** Keeps what windows were told last, and releases everything else, when another run replaces this one. */
  release(): void {
    this.#kept ??= this.update();
    this.#results = [];
    this.#traced = undefined;
  }

  /** About how much memory the run takes once it is released. */
  get keptBytes(): number {
    const { fetches = [] } = this.#kept ?? {};
    const characters = fetches.flatMap(({ values }) => values).reduce((sum, { length }) => sum + length, 0);
    return OWN_BYTES + this.scalars.byteLength + this.traces.byteLength + 2 * characters;
  }
}

/** The events of a step in an update; only how many there are if encoding and decoding them would take long. */
function eventsToTell(
  step: TracedStep | undefined,
): Pick<RunUpdate, "nodes" | "transfers"> & { readonly eventCount: number | undefined } {
  const { nodes = [], transfers = [] } = step ?? {};
  const count = nodes.length + transfers.length;
  return count > EVENTS_PER_PART
    ? { nodes: [], transfers: [], eventCount: count }
    : { nodes, transfers, eventCount: undefined };
}
