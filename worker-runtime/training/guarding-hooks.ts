/** Hooks that watch over a loop: numbers that are none, a later start, a last evaluation. */
import { delay } from "../cancellation/delay.js";
import type { Output } from "../graph/graph.js";
import { cancelledBy, internalError } from "../protocol/status.js";
import type { Tensor } from "../protocol/tensor.js";
import type { Session } from "../session/session.js";
import { numberOf, type RunContext, type SessionRunHook, StepHook } from "./hooks.js";

/** The pause between looks at the global step. */
const LOOK_MILLIS = 500;

/** Ends the loop when a tensor, such as the loss, is no number any more. */
export class NanTensorHook implements SessionRunHook {
  readonly #tensor: Output;
  readonly #failOnNanLoss: boolean;

  /** @param options.failOnNanLoss whether the step then fails, instead of being the last one; defaults to true */
  constructor(lossTensor: Output, { failOnNanLoss = true }: { readonly failOnNanLoss?: boolean } = {}) {
    this.#tensor = lossTensor;
    this.#failOnNanLoss = failOnNanLoss;
  }

  beforeRun(): readonly Output[] {
    return [this.#tensor];
  }

  /** @throws TensorFlowError INTERNAL if the tensor has an element that is no number */
  afterRun(context: RunContext, [value]: readonly Tensor[]): void {
    const elements = Array.from({ length: value?.size ?? 0 }, (_, at) => Number(value?.at(at)));
    if (!elements.some(Number.isNaN)) return;
    if (this.#failOnNanLoss) {
      throw internalError(
        `The model diverged: ${this.#tensor.name} is NaN. Lower the learning rate, or look for a division by 0 or the ` +
          "logarithm of 0.",
      );
    }
    context.requestStop();
  }
}

/** Delays a worker until the global step has reached a number, so that workers start one after the other. */
export class GlobalStepWaiterHook extends StepHook {
  readonly #waitUntilStep: number;
  #started = false;

  constructor(waitUntilStep: number) {
    super();
    this.#waitUntilStep = waitUntilStep;
  }

  override async beforeRun({ session, signal }: RunContext): Promise<readonly Output[]> {
    while (!this.#started && this.#waitUntilStep > 0) {
      if ((await numberOf(session, this.step)) >= this.#waitUntilStep) break;
      await delay(LOOK_MILLIS, signal);
      if (signal?.aborted) throw cancelledBy(signal.reason, `Waiting for global step ${this.#waitUntilStep}`);
    }
    this.#started = true;
    return [];
  }
}

/** Computes tensors once after the last step. */
export class FinalOpsHook implements SessionRunHook {
  readonly #finalOps: readonly Output[];
  readonly #feeds: ReadonlyMap<Output, Tensor> | undefined;
  #values: readonly Tensor[] | undefined;

  constructor(finalOps: readonly Output[], feeds?: ReadonlyMap<Output, Tensor>) {
    this.#finalOps = finalOps;
    this.#feeds = feeds;
  }

  /** Their values, in order; undefined while the loop runs, and if it failed. */
  get finalOpsValues(): readonly Tensor[] | undefined {
    return this.#values;
  }

  async end(session: Session): Promise<void> {
    const { values } = await session.run(this.#finalOps, this.#feeds ? { feeds: this.#feeds } : {});
    this.#values = values;
  }
}
