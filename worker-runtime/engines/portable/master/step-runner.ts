import type { RunMetadata, RunOptions } from "../../../../protos/generated/tensorflow/config.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { StepSignal } from "../../../cancellation/step-signal.js";
import { stepIdFor } from "./collective-step.js";
import type { DebugRuns } from "./debug-runs.js";
import type { PreparedStep } from "./prepared-step.js";
import type { Lease, PreparedStepCache } from "./prepared-step-cache.js";
import { cleanUp, type NamedTensors, runPartitions } from "./step-run.js";
import type { StepSignature } from "./step-signature.js";
import { StepTrace } from "./step-trace.js";
import type { WorkerSessions } from "./worker-sessions.js";

export interface StepResult {
  readonly tensors: NamedTensors;
  readonly metadata: RunMetadata;
}

export interface StepRequest {
  readonly signature: StepSignature;
  readonly feeds: NamedTensors;
  readonly options: RunOptions | undefined;
  /** The signal of the client's call. */
  readonly signal: CancellationSignal;
}

/** A call of a partial run. */
export interface PartialCall {
  readonly step: PreparedStep;
  readonly stepId: bigint;
  readonly feeds: NamedTensors;
  readonly fetches: readonly string[];
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly options: RunOptions | undefined;
  readonly signal: CancellationSignal;
}

/** Runs the steps of a session; any number at the same time. */
export class StepRunner {
  readonly #session: WorkerSessions;
  readonly #cache: PreparedStepCache;
  readonly #debugRuns: DebugRuns;
  /** Aborted when the session ends. */
  readonly #ended: CancellationSignal;
  readonly #running = new Set<Promise<unknown>>();

  constructor(
    session: WorkerSessions,
    cache: PreparedStepCache,
    debugRuns: DebugRuns,
    ended: CancellationSignal,
  ) {
    this.#session = session;
    this.#cache = cache;
    this.#debugRuns = debugRuns;
    this.#ended = ended;
  }

  get isIdle(): boolean {
    return this.#running.size === 0;
  }

  /** Resolves when no step is running. */
  async whenIdle(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  /** @throws TensorFlowError the error that ended the step. */
  run({ signature, feeds, options, signal }: StepRequest): Promise<StepResult> {
    return this.#guard(options, signal, async (stepSignal) => {
      const lease = await this.#cache.lease(signature, false, stepSignal);
      try {
        return await this.#runLeased(lease.step, { signature, feeds, options, signal: stepSignal });
      } finally {
        lease.giveBack();
      }
    });
  }

  /** Prepares the graph of a signature. It stays registered until the lease is given back. */
  prepare(signature: StepSignature, isPartial: boolean, signal: CancellationSignal): Promise<Lease> {
    return this.#guard(undefined, signal, (stepSignal) =>
      this.#cache.lease(signature, isPartial, stepSignal),
    );
  }

  /** @throws TensorFlowError the error that ended the call; the partial run then cannot continue. */
  runPart({ options, signal, isFirst, isLast, ...call }: PartialCall): Promise<StepResult> {
    return this.#guard(options, signal, async (stepSignal) => {
      const trace = new StepTrace(options);
      const stepCall = { ...call, execOpts: trace.execOpts, partial: { isFirst, isLast } };
      const { tensors, responses } = await runPartitions(call.step, stepCall, this.#session, stepSignal);
      const metadata = await trace.finish(call.stepId, call.step, this.#session, responses);
      return { tensors, metadata };
    });
  }

  /** Makes the workers forget a partial run. */
  endParts(step: PreparedStep, stepId: bigint): void {
    cleanUp(stepId, step, this.#session);
  }

  async #runLeased(
    step: PreparedStep,
    { signature, feeds, options, signal }: StepRequest,
  ): Promise<StepResult> {
    const stepId = await stepIdFor(step.collectiveGraphKey, this.#session, signal);
    const trace = new StepTrace(options);
    try {
      await this.#debugRuns.publish(step, signature);
      await trace.begin(step, this.#session);
      const call = { stepId, feeds, fetches: signature.fetches, execOpts: trace.execOpts };
      const { tensors, responses } = await runPartitions(step, call, this.#session, signal);
      const metadata = await trace.finish(stepId, step, this.#session, responses);
      return { tensors, metadata };
    } finally {
      this.#session.stepSequences?.end(step.collectiveGraphKey, stepId);
      cleanUp(stepId, step, this.#session);
    }
  }

  async #guard<T>(
    options: RunOptions | undefined,
    client: CancellationSignal,
    action: (signal: CancellationSignal) => Promise<T>,
  ): Promise<T> {
    const timeoutMillis = Number(options?.timeoutInMs ?? 0n);
    const stepSignal = new StepSignal({ client, session: this.#ended, timeoutMillis });
    const running = action(stepSignal.signal);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
      stepSignal.release();
    }
  }
}
