import type { RunOptions } from "../../../../protos/generated/tensorflow/config.js";
import type { CancellationSignal } from "../../../cancellation/cancellation-signal.js";
import { invalidArgument } from "../../../protocol/status.js";
import { newStepId } from "../step-id.js";
import type { Lease } from "./prepared-step-cache.js";
import type { NamedTensors } from "./step-run.js";
import type { StepResult, StepRunner } from "./step-runner.js";
import { checkSignature, type StepSignature } from "./step-signature.js";

interface PartialRun {
  readonly lease: Lease;
  readonly stepId: bigint;
  /** By name, whether it has already been fed (or fetched). */
  readonly feeds: Map<string, boolean>;
  readonly fetches: Map<string, boolean>;
  isStarted: boolean;
}

export interface PartialRequest {
  readonly handle: string;
  readonly feeds: NamedTensors;
  readonly fetches: readonly string[];
  readonly options: RunOptions | undefined;
  readonly signal: CancellationSignal;
}

/**
 * Partial runs: steps that a client runs in parts; it declares all feeds and fetches in advance, and each is used once.
 */
export class PartialRuns {
  readonly #runner: StepRunner;
  readonly #runs = new Map<string, PartialRun>();
  #count = 0;

  constructor(runner: StepRunner) {
    this.#runner = runner;
  }

  /** @returns the handle of a new partial run. @throws TensorFlowError what is wrong with the signature. */
  async setup(signature: StepSignature, signal: CancellationSignal): Promise<string> {
    checkSignature(signature);
    const lease = await this.#runner.prepare(signature, true, signal);
    this.#count += 1;
    const handle = String(this.#count);
    const unused = (names: readonly string[]) => new Map(names.map((name) => [name, false]));
    this.#runs.set(handle, {
      lease,
      stepId: newStepId(),
      feeds: unused(signature.feeds),
      fetches: unused(signature.fetches),
      isStarted: false,
    });
    return handle;
  }

  /** @throws TensorFlowError INVALID_ARGUMENT in TensorFlow's words; the error that ended the step. */
  async run({ handle, feeds, fetches, options, signal }: PartialRequest): Promise<StepResult> {
    const run = this.#runs.get(handle);
    if (run === undefined) {
      throw invalidArgument("Must run PartialRunSetup before performing partial runs");
    }
    checkCall(run, feeds, fetches);
    for (const name of feeds.keys()) {
      run.feeds.set(name, true);
    }
    for (const name of fetches) {
      run.fetches.set(name, true);
    }
    const isFirst = !run.isStarted;
    run.isStarted = true;
    const isLast = [...run.feeds.values(), ...run.fetches.values()].every((isDone) => isDone);
    const { lease, stepId } = run;
    try {
      const { step } = lease;
      const call = { step, stepId, feeds, fetches, isFirst, isLast, options, signal };
      const result = await this.#runner.runPart(call);
      if (isLast) {
        this.#end(handle, run);
      }
      return result;
    } catch (error) {
      this.#end(handle, run);
      throw error;
    }
  }

  /** Ends all: the session is closed. */
  endAll(): void {
    for (const [handle, run] of this.#runs) {
      this.#end(handle, run);
    }
  }

  #end(handle: string, { lease, stepId }: PartialRun): void {
    if (this.#runs.delete(handle)) {
      this.#runner.endParts(lease.step, stepId);
      lease.giveBack();
    }
  }
}

function checkCall(run: PartialRun, feeds: NamedTensors, fetches: readonly string[]): void {
  for (const name of feeds.keys()) {
    const isFed = run.feeds.get(name);
    if (isFed === undefined) {
      throw invalidArgument(`The feed ${name} was not specified in partial_run_setup.`);
    }
    if (isFed) {
      throw invalidArgument(`The feed ${name} has already been fed.`);
    }
  }
  for (const name of fetches) {
    const isFetched = run.fetches.get(name);
    if (isFetched === undefined) {
      throw invalidArgument(`The fetch ${name} was not specified in partial_run_setup.`);
    }
    if (isFetched) {
      throw invalidArgument(`The fetch ${name} has already been fetched.`);
    }
    for (const needed of run.lease.step.feedsOfFetch.get(name) ?? []) {
      if (!run.feeds.get(needed) && !feeds.has(needed)) {
        // TensorFlow names the feed that is missing.
        throw invalidArgument(`Fetch ${needed} can't be computed from the feeds that have been fed so far.`);
      }
    }
  }
}
