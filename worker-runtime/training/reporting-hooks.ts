/** Hooks that report: to event files, which TensorBoard reads, and line by line. */
import type { Graph, Output } from "../graph/graph.js";
import { mergeAll } from "../graph/ops/summary.js";
import type { Tensor } from "../protocol/tensor.js";
import { numberOf, type RunContext, StepHook, Timer } from "./hooks.js";
import { FileWriter, histogramSummary, scalarSummary } from "./summary-writer.js";

const DEFAULT_COUNT_STEPS = 100;

export interface SummarySaverOptions {
  readonly saveSteps?: number | undefined;
  readonly saveSecs?: number | undefined;
  /** By their names in TensorBoard: scalars become curves, other tensors histograms. */
  readonly tensors?: Readonly<Record<string, Output>> | undefined;
  /** The result of a summary op. Without it and `tensors`, all summaries of the graph are saved. */
  readonly summaryOp?: Output | undefined;
}

/** Writes summaries to event files every so many steps or seconds, first at the first step; computes them only then. */
export class SummarySaverHook extends StepHook {
  readonly #folder: string;
  readonly #tensors: readonly (readonly [string, Output])[];
  readonly #timer: Timer;
  readonly #savesAll: boolean;
  #summaryOp: Output | undefined;
  #graph: Graph | undefined;
  #writer: FileWriter | undefined;
  /** The number of the next step, as far as this loop knows; undefined before the first. */
  #next: number | undefined;

  constructor(outputDir: string, options: SummarySaverOptions) {
    super();
    this.#folder = outputDir;
    this.#tensors = Object.entries(options.tensors ?? {});
    this.#summaryOp = options.summaryOp;
    this.#savesAll = options.tensors === undefined && options.summaryOp === undefined;
    this.#timer = new Timer(options.saveSteps, options.saveSecs);
  }

  override begin(graph: Graph): void {
    super.begin(graph);
    this.#graph = graph;
    if (this.#savesAll) this.#summaryOp = mergeAll(graph);
  }

  async afterCreateSession(): Promise<void> {
    const saves = this.#tensors.length > 0 || this.#summaryOp !== undefined;
    if (this.#writer || !saves) return;
    this.#writer = await FileWriter.create(this.#folder);
    if (this.#graph) await this.#writer.addGraph(this.#graph.toGraphDef());
  }

  override beforeRun(): readonly Output[] {
    const isDue = this.#next === undefined || this.#timer.isDue(this.#next);
    const summary = this.#summaryOp === undefined ? [] : [this.#summaryOp];
    return [this.step.value, ...(isDue ? [...this.#tensors.map(([, tensor]) => tensor), ...summary] : [])];
  }

  async afterRun(_context: RunContext, [value, ...results]: readonly Tensor[]): Promise<void> {
    const step = Number(value?.item());
    this.#next = step + 1;
    if (results.length === 0 || !this.#timer.isDue(step)) return;
    const summaries = this.#tensors.flatMap(([tag], i) => {
      const tensor = results[i];
      if (!tensor) return [];
      return [tensor.size === 1 ? scalarSummary(tag, Number(tensor.at(0))) : histogramSummary(tag, tensor)];
    });
    if (summaries.length > 0) await this.#writer?.addSummary(summaries, step);
    const computed = results[this.#tensors.length];
    if (computed) await this.#writer?.addSummary(computed, step);
    this.#timer.done(step);
  }

  async end(): Promise<void> {
    await this.#writer?.flush();
  }

  async close(): Promise<void> {
    await this.#writer?.close();
  }
}

export interface StepCounterOptions {
  /** Defaults to 100, unless `everyNSecs` is given. */
  readonly everyNSteps?: number | undefined;
  readonly everyNSecs?: number | undefined;
  /** Where the event files go; without it nothing is written. */
  readonly outputDir?: string | undefined;
  /** Takes each line, "global_step/sec: 12.5". */
  readonly log?: ((line: string) => void) | undefined;
}

/** Measures how many steps a second all workers do, as the scalar "global_step/sec". */
export class StepCounterHook extends StepHook {
  readonly #options: StepCounterOptions;
  readonly #timer: Timer;
  #writer: FileWriter | undefined;
  #last: { readonly step: number; readonly millis: number } | undefined;

  constructor(options: StepCounterOptions = {}) {
    super();
    const { everyNSecs, everyNSteps = everyNSecs === undefined ? DEFAULT_COUNT_STEPS : undefined } = options;
    this.#options = options;
    this.#timer = new Timer(everyNSteps, everyNSecs);
  }

  async afterCreateSession(): Promise<void> {
    // The time that a recovery took is not counted.
    this.#last = undefined;
  }

  async afterRun(context: RunContext, [value]: readonly Tensor[]): Promise<void> {
    if (!this.#timer.isDue(Number(value?.item()) + 1) && this.#last) return;
    const step = await numberOf(context.session, this.step);
    const last = this.#last;
    const now = { step, millis: performance.now() };
    this.#last = now;
    this.#timer.done(step);
    if (last === undefined || now.step === last.step) return;
    const rate = (1000 * (now.step - last.step)) / (now.millis - last.millis);
    this.#options.log?.(`global_step/sec: ${rate.toPrecision(6)}`);
    const { outputDir } = this.#options;
    if (outputDir === undefined) return;
    this.#writer ??= await FileWriter.create(outputDir);
    await this.#writer.addSummary([scalarSummary("global_step/sec", rate)], step);
  }

  async close(): Promise<void> {
    await this.#writer?.close();
  }
}

/** Tells tensors' values every so many steps. */
export class LoggingTensorHook extends StepHook {
  readonly #tensors: readonly (readonly [string, Output])[];
  readonly #timer: Timer;
  readonly #log: (line: string) => void;

  constructor(
    tensors: Readonly<Record<string, Output>>,
    options: {
      readonly everyNIter?: number;
      readonly everyNSecs?: number;
      /** Takes each line, such as "step 100: loss = 0.25". */
      readonly log: (line: string) => void;
    },
  ) {
    super();
    this.#tensors = Object.entries(tensors);
    this.#timer = new Timer(options.everyNIter, options.everyNSecs);
    this.#log = options.log;
  }

  override beforeRun(): readonly Output[] {
    return [this.step.value, ...this.#tensors.map(([, tensor]) => tensor)];
  }

  afterRun(_context: RunContext, [value, ...tensors]: readonly Tensor[]): void {
    const step = Number(value?.item());
    if (!this.#timer.isDue(step)) return;
    const texts = this.#tensors.map(([name], i) => `${name} = ${JSON.stringify(tensors[i]?.toArray())}`);
    this.#log(`step ${step}: ${texts.join(", ")}`);
    this.#timer.done(step);
  }
}
