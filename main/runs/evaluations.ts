/** When a model is evaluated during its training, one evaluation after the other. */
import type { Evaluator } from "./evaluator.js";
import type { ReadFeeds } from "./feeds.js";
import type { NamedTensor } from "./tensors/tensor-store.js";

type OnEvaluated = (step: number, results: readonly NamedTensor[], signal: AbortSignal) => Promise<void>;

export class Evaluations {
  readonly #evaluator: Evaluator;
  readonly #onEvaluated: OnEvaluated;
  /** Resolves with the failure of those so far, if one failed. */
  #work: Promise<{ readonly error: unknown } | undefined> = Promise.resolve(undefined);
  /** The step of the run after which the last one began. */
  #step = 0;

  constructor(evaluator: Evaluator, onEvaluated: OnEvaluated) {
    this.#evaluator = evaluator;
    this.#onEvaluated = onEvaluated;
  }

  /**
   * Reads the feeds, at each attempt of the run: an evaluation may have failed with the attempt before.
   * @throws ProblemError naming a tensor that the graph does not have, or a feed that does not fit
   */
  async prepare(readFeeds: ReadFeeds, signal: AbortSignal): Promise<void> {
    await this.#work;
    this.#work = Promise.resolve(undefined);
    await this.#evaluator.prepare(readFeeds, signal);
  }

  /** The run goes on after a step that may be before the last evaluation. */
  goOnFrom(step: number): void {
    this.#step = Math.min(this.#step, step);
  }

  stepDone(step: number, signal: AbortSignal): void {
    if (this.#evaluator.isDue(step)) this.#evaluate(step, signal);
  }

  /** Resolves when none is in progress. @throws what made one fail */
  async settled(): Promise<void> {
    const failed = await this.#work;
    if (failed) throw failed.error;
  }

  /** Evaluates what the last step gave, unless that was done. @throws what made one fail */
  async finish(step: number, signal: AbortSignal): Promise<void> {
    if (step > this.#step) this.#evaluate(step, signal);
    await this.settled();
  }

  /** Waits for the one in progress. Never rejects. */
  async dispose(): Promise<void> {
    await this.#work;
    await this.#evaluator.dispose();
  }

  #evaluate(step: number, signal: AbortSignal): void {
    this.#step = step;
    const work = this.#work.then(async (failed) => {
      if (failed) throw failed.error;
      await this.#onEvaluated(step, await this.#evaluator.run(signal), signal);
    });
    this.#work = work.then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
  }
}
