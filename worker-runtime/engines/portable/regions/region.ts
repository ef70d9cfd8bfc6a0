import { inBackground } from "../../../faults.js";
import { Tensor } from "../../../protocol/tensor.js";
import type { RegionHost } from "../executor/compiled-node.js";
import { DeviceTensor } from "../gpu/device-tensor.js";
import type { Outputs } from "../kernels/kernel.js";
import { isOfVariable } from "../resources/reference-variable.js";
import { RefValue, type Value } from "../values.js";
import { bytesOf } from "./bytes-of.js";
import { ConstantInputs } from "./constant-inputs.js";
import { DeviceLostError } from "./device-errors.js";
import { decidingValues, knownValues, type Recording } from "./known-values.js";
import { makePlan } from "./plan.js";
import { Recorder } from "./recorder.js";
import { lendingMembers, type RegionOutline } from "./region-outline.js";
import {
  discard,
  isReconsidered,
  keepKernels,
  MAX_PLANS,
  type RankState,
  type ReadyPlan,
  RegionPlans,
  releasePlan,
} from "./region-plans.js";
import { kernelProgram, type Program } from "./region-program.js";
import { runProgram } from "./region-run.js";
import { boundVariables, NotThisTimeError, type VariablesBySlot } from "./region-updates.js";
import type { SessionCache } from "./session-cache.js";

/** The state that the regions of a task share. */
export interface RegionEnvironment {
  readonly sessions: SessionCache;
  /**
   * "always": every region gets sessions, and steps wait for them; "auto": regions that benefit get them in the
   * background.
   */
  readonly mode: "auto" | "always";
  log(line: string): void;
}

/**
 * Kernels that take less than this together are not worth a session: its run on another thread has an overhead of about
 * 0.07 ms (README.md), while this thread does other work.
 */
const MIN_MILLIS = 0.25;
/** Kernels with lower estimates are not even measured: estimates are for slow cores and rather high. */
const MIN_ESTIMATED_NANOS = 20e3;
/** The number of initial runs that are ignored unless they take long: kernels are slow before they are compiled. */
const WARM_RUNS = 3;
const LONG_MILLIS = 20;
/** The shortest of this many runs counts, since any run may have been interrupted. */
const MEASURED_RUNS = 3;
/** Sessions are compared with the kernels after this many runs. */
const JUDGED_RUNS = 8;

/** When inputs that do not change become constants. */
const constantInputs = {
  auto: { runs: 16, millis: 250, minBytes: 64 * 1024 },
  always: { runs: 4, millis: Number.POSITIVE_INFINITY, minBytes: 0 },
} as const;

/** The arguments of a region's run. */
interface GivenRun {
  readonly inputs: readonly (Value | undefined)[];
  readonly variables: VariablesBySlot;
  readonly shapes: readonly (readonly number[])[];
  readonly host: RegionHost;
}

/** A region of a registered graph: runs by its kernels, or by sessions once that is possible and worthwhile. */
export class Region {
  readonly outline: RegionOutline;
  readonly #environment: RegionEnvironment;
  readonly #kernels: Program;
  readonly #plans = new RegionPlans();
  #mayBeKnown: Uint8Array | undefined;
  /** Set if it cannot be run by sessions. */
  #isGivenUp = false;
  #isReleased = false;

  constructor(outline: RegionOutline, environment: RegionEnvironment) {
    this.outline = outline;
    this.#environment = environment;
    this.#kernels = kernelProgram(outline);
  }

  /** Releases its sessions. Runs in progress are completed by kernels. */
  release(): void {
    this.#isReleased = true;
    this.#plans.releaseAll();
  }

  /** As `runProgram`. */
  run(inputs: readonly (Value | undefined)[], host: RegionHost): Outputs | Promise<Outputs> {
    for (const { node, value } of this.outline.absorbed) {
      host.ran(node, [value]);
    }
    if (this.#isGivenUp || this.#isReleased || !this.#environment.sessions.device.isAvailable) {
      return runProgram(this.outline, this.#kernels, inputs, host);
    }
    const variables = boundVariables(this.outline, inputs, host.step);
    const shapes = variables && shapesOf(inputs, variables);
    if (variables === undefined || shapes === undefined) {
      // An input is dead or has no value.
      return runProgram(this.outline, this.#kernels, inputs, host);
    }
    const run: GivenRun = { inputs, variables, shapes, host };
    const state = this.#plans.stateOf(shapes);
    const plan = this.#plans.planOf(state, run);
    if (plan !== undefined && this.#isUseful(state, plan, variables)) {
      return this.#runPlan(state, plan, run);
    }
    return this.#environment.mode === "always" ? this.#learnAndRun(state, run) : this.#learn(state, run);
  }

  async #runPlan(state: RankState, plan: ReadyPlan, run: GivenRun): Promise<Outputs> {
    const { inputs, variables, shapes, host } = run;
    const making = plan.constantInputs?.observe(inputs);
    if (making !== undefined && this.#environment.mode === "always") {
      await making;
    }
    const withConstants = plan.constantInputs?.planFor(inputs, shapes);
    const outline = withConstants?.outline ?? this.outline;
    const { program, sessions } = withConstants?.plan ?? plan;
    const startMillis = performance.now();
    let hasFailed = false;
    const onSessionFailure = (error: unknown): void => {
      hasFailed = true;
      // Another step may have released the sessions since this run began.
      const isReleased = sessions.some(({ isReleased: isMine, session }) => isMine || !session.isAlive);
      if (!isReleased && !(error instanceof DeviceLostError || error instanceof NotThisTimeError)) {
        this.#giveUp(`failed to run`, error);
      }
    };
    const options = { variables, onSessionFailure };
    const outputs = await runProgram(outline, program, inputs, host, options);
    const millis = performance.now() - startMillis;
    plan.constantInputs?.ran(millis);
    if (!hasFailed && plan.runs < JUDGED_RUNS && bytesOf(inputs) <= plan.bytes) {
      this.#judge(state, plan, millis);
    }
    return outputs;
  }

  /** Discards sessions that turn out slower than the kernels. */
  #judge(state: RankState, plan: ReadyPlan, millis: number): void {
    plan.bestMillis = Math.min(plan.bestMillis, millis);
    plan.runs += 1;
    const isSlower = plan.runs === JUDGED_RUNS && plan.bestMillis > plan.kernelMillis;
    if (isSlower && this.#environment.mode === "auto") {
      discard(state, plan);
    }
  }

  /**
   * Discards sessions that only change variables if each new value is copied to the host: on a parameter server, whose
   * gradients also come from there, the kernels need no copies.
   */
  #isUseful(state: RankState, plan: ReadyPlan, variables: VariablesBySlot): boolean {
    if (variables.size === 0 || this.#environment.mode === "always" || computes(this.outline)) {
      return true;
    }
    const wasCopied = [...variables.values()].some(({ variable }) =>
      variable.peek((value) => value instanceof DeviceTensor && value.wasCopied),
    );
    plan.copiedRuns = wasCopied ? plan.copiedRuns + 1 : 0;
    if (plan.copiedRuns < JUDGED_RUNS) {
      return true;
    }
    discard(state, plan);
    keepKernels(state);
    return false;
  }

  #giveUp(what: string, error: unknown): void {
    if (!this.#isGivenUp && !this.#isReleased) {
      this.#isGivenUp = true;
      const reason = error instanceof Error ? error.message : String(error);
      this.#environment.log(
        `${describeRegion(this.outline)} ${what} in ONNX Runtime and is run by kernels: ${reason}`,
      );
      this.#plans.releaseAll();
    }
  }

  #recorder(): Recorder {
    this.#mayBeKnown ??= knownValues(this.outline, "shapes").value;
    for (const slot of this.#plans.changing) {
      this.#mayBeKnown[slot] = 0;
    }
    return new Recorder(this.outline, this.#mayBeKnown);
  }

  /** Runs by kernels, records the run, and makes a plan in the background if worthwhile. */
  #learn(state: RankState, run: GivenRun): Outputs | Promise<Outputs> {
    const { inputs, variables, host } = run;
    if (state.making !== undefined || (state.isDecided && !isReconsidered(state, bytesOf(inputs)))) {
      return runProgram(this.outline, this.#kernels, inputs, host);
    }
    const recorder = this.#recorder();
    const learned = (outputs: Outputs): Outputs => {
      if (sharesMemory(this.outline, outputs)) {
        keepKernels(state);
      } else {
        this.#learned(state, run, recorder);
      }
      return outputs;
    };
    const outputs = runProgram(this.outline, this.#kernels, inputs, host, { recorder, variables });
    return outputs instanceof Promise ? outputs.then(learned) : learned(outputs);
  }

  #learned(state: RankState, { shapes, inputs }: GivenRun, recorder: Recorder): void {
    state.runs += 1;
    const millis = recorder.totalMillis;
    const isShort = recorder.estimatedNanos < MIN_ESTIMATED_NANOS;
    if (!isShort && state.runs <= WARM_RUNS && millis < LONG_MILLIS) {
      return;
    }
    state.measured += 1;
    state.bestMillis = Math.min(state.bestMillis, millis);
    if (isShort || state.bestMillis < MIN_MILLIS) {
      state.isDecided = true;
      state.decidedBytes = bytesOf(inputs);
    } else if (state.measured < MEASURED_RUNS && millis < 5 * LONG_MILLIS) {
      return;
    } else if (state.making === undefined && !state.isDecided) {
      inBackground(this.#plan(state, shapes, recorder, bytesOf(inputs)));
    }
  }

  /** Runs by kernels, which determine the inner shapes, then makes a plan and returns its result. */
  async #learnAndRun(state: RankState, run: GivenRun): Promise<Outputs> {
    const { inputs, variables, shapes, host } = run;
    const recorder = this.#recorder();
    const outputs = await runProgram(this.outline, this.#kernels, inputs, host, { recorder, variables });
    if (sharesMemory(this.outline, outputs)) {
      keepKernels(state);
    }
    await state.making;
    if (!state.isDecided && this.#plans.planOf(state, run) === undefined) {
      await this.#plan(state, shapes, recorder, bytesOf(inputs));
    }
    const plan = this.#plans.planOf(state, run);
    // An update must not happen twice.
    return plan === undefined || variables.size > 0 ? outputs : await this.#runPlan(state, plan, run);
  }

  #plan(
    state: RankState,
    shapes: readonly (readonly number[])[],
    recorder: Recorder,
    bytes: number,
  ): Promise<void> {
    const making = this.#tryPlan(state, shapes, recorder, bytes).finally(() => {
      state.making = undefined;
    });
    state.making = making;
    return making;
  }

  async #tryPlan(
    state: RankState,
    shapes: readonly (readonly number[])[],
    recorder: Recorder,
    bytes: number,
  ): Promise<void> {
    const { sessions, mode } = this.#environment;
    try {
      const minMillis = mode === "always" ? 0 : MIN_MILLIS;
      const plan = await makePlan(this.outline, recorder, sessions, minMillis);
      if (plan === undefined) {
        keepKernels(state);
      } else if (this.#isReleased || this.#isGivenUp) {
        releasePlan(plan);
      } else {
        const values = decidingValues(this.outline, recorder);
        state.plans.push({
          ...plan,
          shapes: plan.isSpecialized ? shapes : undefined,
          values: plan.isSpecialized ? values : new Map(),
          kernelMillis: recorder.totalMillis,
          bytes,
          constantInputs: sessions.device.isGpu
            ? undefined
            : new ConstantInputs(
                this.outline,
                plan.isSpecialized ? recorder : withoutValues(recorder, values),
                {
                  sessions,
                  minMillis,
                  ...constantInputs[mode],
                },
              ),
          runs: 0,
          bestMillis: Number.POSITIVE_INFINITY,
          copiedRuns: 0,
        });
        state.isDecided = state.plans.length >= MAX_PLANS;
        state.decidedBytes = Number.POSITIVE_INFINITY;
      }
    } catch (error) {
      if (!(error instanceof DeviceLostError)) {
        this.#giveUp("cannot be run", error);
      }
    }
  }
}

/** Whether a region computes anything but new values of variables. */
function computes({ members }: RegionOutline): boolean {
  return members.some(({ lowering }) => lowering !== undefined && !lowering.isTrivial);
}

/**
 * Whether kernels have returned the memory of a reference variable, which a session would copy: users of the value see
 * later updates of the variable, as in TensorFlow. `lendingMembers` always run by kernels.
 */
function sharesMemory(outline: RegionOutline, outputs: Outputs): boolean {
  const lent = new Set(lendingMembers(outline).flatMap(({ outputs: made }) => made));
  return outputs.some(
    (value, index) =>
      value instanceof Tensor && isOfVariable(value) && !lent.has(outline.outputs[index] ?? -1),
  );
}

/** A recording without the values of some slots. */
function withoutValues(recording: Recording, slots: ReadonlyMap<number, Tensor>): Recording {
  const { shapes, millis, estimatedNanos, values } = recording;
  const others = values.map((value, slot) => (slots.has(slot) ? undefined : value));
  return { shapes, millis, estimatedNanos, values: others };
}

/** The shapes of the data inputs, those of variables in place of handles; undefined if one has no tensor. */
function shapesOf(
  inputs: readonly (Value | undefined)[],
  variables: VariablesBySlot,
): readonly (readonly number[])[] | undefined {
  const shapes: (readonly number[])[] = [];
  for (const [slot, input] of inputs.entries()) {
    const value = input instanceof RefValue ? input.cell.value : input;
    const shape = variables.get(slot)?.shape ?? (value instanceof Tensor ? value.shape : undefined);
    if (shape === undefined) {
      return undefined;
    }
    shapes.push(shape);
  }
  return shapes;
}

/** "The region of 12 nodes from {{node a}} to {{node b}}". */
function describeRegion({ members }: RegionOutline): string {
  const [first, last] = [members[0]?.node.node.name, members.at(-1)?.node.node.name];
  return members.length === 1
    ? `{{node ${first}}}`
    : `The region of ${members.length} nodes from {{node ${first}}} to {{node ${last}}}`;
}
