/** Actions of a training loop besides its steps, as tf.compat.v1.train's hooks. */
import { resolve } from "node:path";
import type { Graph, Output } from "../graph/graph.js";
import { getOrCreateGlobalStep } from "../graph/training/global-step.js";
import type { Variable } from "../graph/variable.js";
import { invalidArgument } from "../protocol/status.js";
import type { Tensor } from "../protocol/tensor.js";
import type { Session } from "../session/session.js";
import { Saver } from "./saver.js";

/** One step of a loop, for hooks. */
export interface RunContext {
  readonly session: Session;
  /** Ends the loop after this step. */
  requestStop(): void;
  readonly stopRequested: boolean;
  /** Ends waits with the loop. */
  readonly signal?: AbortSignal | undefined;
}

/** Takes part in a training loop. All methods are optional; each is called in the order of the hooks. */
export interface SessionRunHook {
  /** Before the session is created: the graph may still grow. */
  begin?(graph: Graph): void;
  /** After a session was created and its variables have values; again after each recovery. */
  afterCreateSession?(session: Session): Promise<void>;
  /** Tensors to fetch with the step, which waits for them. */
  beforeRun?(context: RunContext): readonly Output[] | Promise<readonly Output[]>;
  /** @param values of what `beforeRun` asked for */
  afterRun?(context: RunContext, values: readonly Tensor[]): Promise<void> | void;
  /** After the last step, while the session is open; not if the loop fails. */
  end?(session: Session): Promise<void>;
  /** Always, once the loop is over. */
  close?(): Promise<void>;
}

/** Decides by the number of steps, or by the time, whether something is due. */
export class Timer {
  #lastStep: number | undefined;
  #lastMillis = 0;

  /** @throws TensorFlowError INVALID_ARGUMENT unless exactly one of both is given */
  constructor(
    readonly everySteps: number | undefined,
    readonly everySecs: number | undefined,
  ) {
    if ((everySteps === undefined) === (everySecs === undefined)) {
      throw invalidArgument("Say after how many steps, or after how many seconds: one of both.");
    }
  }

  isDue(step: number): boolean {
    if (this.#lastStep === undefined) return true;
    if (this.everySteps !== undefined) return step >= this.#lastStep + this.everySteps;
    return step !== this.#lastStep && Date.now() >= this.#lastMillis + (this.everySecs ?? 0) * 1000;
  }

  done(step: number): void {
    this.#lastStep = step;
    this.#lastMillis = Date.now();
  }
}

export async function numberOf(session: Session, step: Variable): Promise<number> {
  const { values } = await session.run([step.value]);
  return Number(values[0]?.item());
}

/** A hook that counts by the graph's global step. */
export abstract class StepHook implements SessionRunHook {
  #step: Variable | undefined;

  begin(graph: Graph): void {
    this.#step = getOrCreateGlobalStep(graph);
  }

  protected get step(): Variable {
    if (this.#step) return this.#step;
    throw invalidArgument("The hook is used before the loop has begun.");
  }

  /** The step's number before the step, or behind it: the order is not determined. */
  beforeRun(_context: RunContext): readonly Output[] | Promise<readonly Output[]> {
    return [this.step.value];
  }
}

/** Ends the loop when the global step reaches a number, or after so many steps. */
export class StopAtStepHook extends StepHook {
  readonly #numSteps: number | undefined;
  #lastStep: number | undefined;

  /** @throws TensorFlowError INVALID_ARGUMENT unless exactly one of both is given */
  constructor({ numSteps, lastStep }: { readonly numSteps?: number; readonly lastStep?: number }) {
    super();
    if ((numSteps === undefined) === (lastStep === undefined)) {
      throw invalidArgument("Say how many steps (numSteps), or the number of the last one (lastStep).");
    }
    this.#numSteps = numSteps;
    this.#lastStep = lastStep;
  }

  async afterCreateSession(session: Session): Promise<void> {
    this.#lastStep ??= (await numberOf(session, this.step)) + (this.#numSteps ?? 0);
  }

  async afterRun(context: RunContext, [value]: readonly Tensor[]): Promise<void> {
    const last = this.#lastStep ?? 0;
    if (Number(value?.item()) + 1 < last) return;
    if ((await numberOf(context.session, this.step)) >= last) context.requestStop();
  }
}

export interface CheckpointSaverOptions {
  readonly saveSteps?: number | undefined;
  readonly saveSecs?: number | undefined;
  /** Defaults to one for all global variables. */
  readonly saver?: Saver | undefined;
  /** Defaults to "model.ckpt". */
  readonly checkpointBasename?: string | undefined;
}

/** Saves checkpoints at the beginning, every so many steps or seconds, and at the end. */
export class CheckpointSaverHook extends StepHook {
  readonly #folder: string;
  readonly #options: CheckpointSaverOptions;
  readonly #timer: Timer;
  #saver: Saver | undefined;
  #saved: number | undefined;

  constructor(checkpointDir: string, options: CheckpointSaverOptions) {
    super();
    this.#folder = resolve(checkpointDir);
    this.#options = options;
    this.#timer = new Timer(options.saveSteps, options.saveSecs);
    this.#saver = options.saver;
  }

  override begin(graph: Graph): void {
    super.begin(graph);
    this.#saver ??= new Saver(graph);
  }

  async afterCreateSession(session: Session): Promise<void> {
    const step = await numberOf(session, this.step);
    await this.#save(session, step);
  }

  async afterRun({ session }: RunContext, [value]: readonly Tensor[]): Promise<void> {
    if (!this.#timer.isDue(Number(value?.item()) + 1)) return;
    const step = await numberOf(session, this.step);
    if (this.#timer.isDue(step)) await this.#save(session, step);
  }

  async end(session: Session): Promise<void> {
    const step = await numberOf(session, this.step);
    if (step !== this.#saved) await this.#save(session, step);
  }

  async #save(session: Session, step: number): Promise<void> {
    const prefix = `${this.#folder}/${this.#options.checkpointBasename ?? "model.ckpt"}`;
    await this.#saver?.save(session, prefix, { globalStep: step });
    this.#saved = step;
    this.#timer.done(step);
  }
}
