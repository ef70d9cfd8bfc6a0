import { delay } from "../cancellation/delay.js";
import type { Graph } from "../graph/graph.js";
import type { Operation, Output } from "../graph/operation.js";
import {
  globalVariables,
  globalVariablesInitializer,
  localVariablesInitializer,
} from "../graph/ops/state.js";
import {
  aborted,
  cancelledBy,
  deadlineExceeded,
  failedPrecondition,
  StatusCode,
  TensorFlowError,
} from "../protocol/status.js";
import type { Tensor } from "../protocol/tensor.js";
import type { RunResult } from "../session/run-step.js";
import { type RunArguments, Session, type SessionOptions } from "../session/session.js";
import { CheckpointSaverHook, type RunContext, type SessionRunHook } from "./hooks.js";
import { StepCounterHook, SummarySaverHook } from "./reporting-hooks.js";
import { Saver } from "./saver.js";

export interface MonitoredTrainingSessionOptions {
  readonly graph: Graph;
  /** The task to connect to: "grpc://host:port"; left out, a local server. */
  readonly master?: string | undefined;
  /** The chief initializes or restores variables and saves checkpoints; others wait for it. Defaults to true. */
  readonly isChief?: boolean | undefined;
  /** Restored from at the beginning and after failures. */
  readonly checkpointDir?: string | undefined;
  /** Defaults to 600, unless `saveCheckpointSteps` is given. */
  readonly saveCheckpointSecs?: number | undefined;
  readonly saveCheckpointSteps?: number | undefined;
  /** How often the chief saves all summaries of the graph; defaults to 100, unless `saveSummariesSecs` is given. */
  readonly saveSummariesSteps?: number | undefined;
  readonly saveSummariesSecs?: number | undefined;
  /** How often the chief reports the steps a second. Defaults to 100; 0 for never. */
  readonly logStepCountSteps?: number | undefined;
  /** Where the chief's event files go. Defaults to `checkpointDir`; without both there are none. */
  readonly summaryDir?: string | undefined;
  /** How long a worker waits until the chief has initialized the variables. Defaults to 7,200. */
  readonly maxWaitSecs?: number | undefined;
  readonly saver?: Saver | undefined;
  readonly hooks?: readonly SessionRunHook[] | undefined;
  readonly chiefOnlyHooks?: readonly SessionRunHook[] | undefined;
  /** Defaults to the initializer of the graph's global variables. */
  readonly initOp?: Operation | undefined;
  readonly session?: Omit<SessionOptions, "graph" | "signal"> | undefined;
  /**
   * The longest pause between attempts to reach servers, and between looks whether the chief is done; the first pauses are
   * shorter. Defaults to 1,000.
   */
  readonly retryMillis?: number | undefined;
  /** Called when a session was lost and another one is made. */
  readonly onRecovery?: ((reason: TensorFlowError) => void) | undefined;
  /** Ends waits and steps. */
  readonly signal?: AbortSignal | undefined;
}

const DEFAULT_SAVE_SECS = 600;
const DEFAULT_SUMMARY_STEPS = 100;
const DEFAULT_LOG_STEPS = 100;
const DEFAULT_MAX_WAIT_SECS = 7200;
const DEFAULT_RETRY_MILLIS = 1000;
/** The first pause; each is twice as long as the one before. A task that is started again at once serves within a second. */
const FIRST_RETRY_MILLIS = 50;

/** Whether an error means that a task was lost, so that another session may succeed. */
function isLoss(error: unknown): error is TensorFlowError {
  return (
    error instanceof TensorFlowError &&
    (error.code === StatusCode.UNAVAILABLE || error.code === StatusCode.ABORTED)
  );
}

/**
 * A training loop that outlives its servers, as tf.compat.v1.train.MonitoredTrainingSession: the chief initializes
 * variables or restores the last checkpoint, others wait until it has, hooks save and report, and after the loss of a
 * task (UNAVAILABLE, ABORTED) a new session is made, restored, and the step repeated.
 */
export class MonitoredTrainingSession {
  readonly #options: MonitoredTrainingSessionOptions;
  readonly #hooks: readonly SessionRunHook[];
  readonly #isChief: boolean;
  readonly #saver: Saver | undefined;
  readonly #initOp: Operation;
  readonly #localInitOp: Operation;
  /** For each variable, whether it has a value. */
  readonly #initialized: readonly Output[];
  #session: Session | undefined;
  #stop = false;
  /** Since the last session was ready. */
  #pauses = 0;

  private constructor(options: MonitoredTrainingSessionOptions) {
    const { graph, checkpointDir, saveCheckpointSecs, saveCheckpointSteps } = options;
    this.#options = options;
    this.#isChief = options.isChief ?? true;
    const own: SessionRunHook[] = [];
    if (this.#isChief && checkpointDir !== undefined) {
      const saveSecs =
        saveCheckpointSecs ?? (saveCheckpointSteps === undefined ? DEFAULT_SAVE_SECS : undefined);
      own.push(
        new CheckpointSaverHook(checkpointDir, {
          saveSecs,
          saveSteps: saveCheckpointSteps,
          saver: options.saver,
        }),
      );
    }
    const { summaryDir = checkpointDir, logStepCountSteps = DEFAULT_LOG_STEPS } = options;
    if (this.#isChief && summaryDir !== undefined) {
      const { saveSummariesSecs: saveSecs, saveSummariesSteps } = options;
      const saveSteps = saveSummariesSteps ?? (saveSecs === undefined ? DEFAULT_SUMMARY_STEPS : undefined);
      own.push(new SummarySaverHook(summaryDir, { saveSteps, saveSecs }));
      if (logStepCountSteps > 0) {
        own.push(new StepCounterHook({ everyNSteps: logStepCountSteps, outputDir: summaryDir }));
      }
    }
    const chiefs = this.#isChief ? [...own, ...(options.chiefOnlyHooks ?? [])] : [];
    this.#hooks = [...(options.hooks ?? []), ...chiefs];
    // Everything that grows the graph comes before the session.
    for (const hook of this.#hooks) hook.begin?.(graph);
    const variables = globalVariables(graph);
    this.#saver = checkpointDir === undefined ? undefined : (options.saver ?? new Saver(graph));
    this.#initOp = options.initOp ?? globalVariablesInitializer(graph);
    this.#localInitOp = localVariablesInitializer(graph);
    this.#initialized = graph.withNameScope("report_uninitialized_variables", () =>
      variables.map((one) =>
        one.kind === "resource"
          ? graph.op("VarIsInitializedOp", [one.handle]).output
          : graph.op("IsVariableInitialized", [one.handle], { dtype: one.dtype }).output,
      ),
    );
  }

  /** Begins: connects, and initializes, restores or waits for the variables. The graph must not grow afterwards. */
  static async create(options: MonitoredTrainingSessionOptions): Promise<MonitoredTrainingSession> {
    const made = new MonitoredTrainingSession(options);
    try {
      await made.#ready();
    } catch (error) {
      await made.#closeAll();
      throw error;
    }
    return made;
  }

  /** Whether a hook has asked to end the loop. */
  shouldStop(): boolean {
    return this.#stop;
  }

  /** Ends the loop after the current step. */
  requestStop(): void {
    this.#stop = true;
  }

  /**
   * Runs a step with the hooks. A step that fails because a task was lost is run again in a new session.
   * @throws TensorFlowError of other failures, and CANCELLED by the signal
   */
  async run(fetches: readonly Output[], args: RunArguments = {}): Promise<RunResult> {
    for (;;) {
      const session = await this.#ready();
      try {
        return await this.#step(session, fetches, args);
      } catch (error) {
        if (!isLoss(error)) throw error;
        await this.#lost(error);
      }
    }
  }

  /** Ends the loop: hooks finish, for example with a last checkpoint, and the session is closed. */
  async close(): Promise<void> {
    try {
      const session = this.#session;
      if (session) for (const hook of this.#hooks) await hook.end?.(session);
    } finally {
      await this.#closeAll();
    }
  }

  async #step(session: Session, fetches: readonly Output[], args: RunArguments): Promise<RunResult> {
    const loop = this;
    const context: RunContext = {
      session,
      requestStop: () => loop.requestStop(),
      get stopRequested() {
        return loop.shouldStop();
      },
      signal: this.#options.signal,
    };
    const wanted: (readonly Output[])[] = [];
    for (const hook of this.#hooks) wanted.push((await hook.beforeRun?.(context)) ?? []);
    const result = await session.run([...fetches, ...wanted.flat()], {
      signal: this.#options.signal,
      ...args,
    });
    let at = fetches.length;
    for (const [i, hook] of this.#hooks.entries()) {
      const count = wanted[i]?.length ?? 0;
      const values: readonly Tensor[] = result.values.slice(at, at + count);
      at += count;
      await hook.afterRun?.(context, values);
    }
    return { ...result, values: result.values.slice(0, fetches.length) };
  }

  async #ready(): Promise<Session> {
    const { maxWaitSecs = DEFAULT_MAX_WAIT_SECS } = this.#options;
    const until = this.#isChief ? Number.POSITIVE_INFINITY : performance.now() + 1000 * maxWaitSecs;
    while (!this.#session) {
      const session = this.#open();
      try {
        await this.#prepare(session, until);
        for (const hook of this.#hooks) await hook.afterCreateSession?.(session);
        this.#session = session;
        this.#pauses = 0;
      } catch (error) {
        await session.close().catch(() => undefined);
        if (!isLoss(error)) throw error;
        await this.#pause("Waiting for the servers", until);
      }
    }
    return this.#session;
  }

  #open(): Session {
    const { graph, master, session, signal } = this.#options;
    return new Session(master, { ...session, graph, signal });
  }

  /** Gives the variables values, or waits until the chief has. */
  async #prepare(session: Session, until: number): Promise<void> {
    const { checkpointDir, signal } = this.#options;
    if (this.#isChief) {
      const restored =
        checkpointDir === undefined
          ? undefined
          : await this.#saver?.restoreLatest(session, checkpointDir, signal);
      if (restored === undefined) await session.run([], { targets: [this.#initOp], signal });
      else if (checkpointDir !== undefined) await this.#saver?.recoverLastCheckpoints(checkpointDir);
    }
    await session.run([], { targets: [this.#localInitOp], signal });
    for (;;) {
      const missing = await this.#uninitialized(session);
      if (missing.length === 0) return;
      if (this.#isChief) {
        throw failedPrecondition(`The initializer left variables without a value: ${missing.join(", ")}.`);
      }
      await this.#pause("Waiting for the chief to initialize the variables", until);
    }
  }

  async #uninitialized(session: Session): Promise<readonly string[]> {
    const { values } = await session.run(this.#initialized, { signal: this.#options.signal });
    return this.#initialized.flatMap(({ op }, i) =>
      values[i]?.item() === true ? [] : [op.inputs[0]?.op.name ?? op.name],
    );
  }

  async #lost(error: TensorFlowError): Promise<void> {
    const session = this.#session;
    this.#session = undefined;
    await session?.close().catch(() => undefined);
    this.#options.onRecovery?.(error);
    if (this.#options.signal?.aborted) throw aborted("The loop was ended.", { cause: error });
  }

  /** @throws TensorFlowError DEADLINE_EXCEEDED after `until`, CANCELLED */
  async #pause(what: string, until: number): Promise<void> {
    if (performance.now() >= until) {
      const { maxWaitSecs = DEFAULT_MAX_WAIT_SECS } = this.#options;
      throw deadlineExceeded(
        `The session was not ready after ${maxWaitSecs} s. ${what}. Is the chief running?`,
      );
    }
    const { retryMillis = DEFAULT_RETRY_MILLIS, signal } = this.#options;
    const millis = Math.min(retryMillis, FIRST_RETRY_MILLIS * 2 ** this.#pauses);
    this.#pauses += 1;
    await delay(millis, signal);
    if (signal?.aborted) throw cancelledBy(signal.reason, what);
  }

  async #closeAll(): Promise<void> {
    for (const hook of this.#hooks) await hook.close?.();
    const session = this.#session;
    this.#session = undefined;
    await session?.close();
  }
}
