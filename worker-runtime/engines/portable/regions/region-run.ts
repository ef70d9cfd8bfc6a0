import { TensorFlowError } from "../../../protocol/status.js";
import { Tensor } from "../../../protocol/tensor.js";
import { HAS_ENDED, type RegionHost, type RegionPart } from "../executor/compiled-node.js";
import { type Sliced, timeSlices } from "../executor/time-slices.js";
import { DeviceTensor, isAnyOnDevice } from "../gpu/device-tensor.js";
import type { Outputs } from "../kernels/kernel.js";
import { sameShape } from "../kernels/support/shapes.js";
import { freeUnlessHeld } from "../memory/held-tensor.js";
import { borrowing } from "../memory/received-tensor.js";
import { RefValue, type Value } from "../values.js";
import { bytesOf } from "./bytes-of.js";
import { SessionError } from "./device-errors.js";
import type { Recorder } from "./recorder.js";
import type { RegionMember, RegionOutline } from "./region-outline.js";
import { type Program, substituteProgram, type Unit } from "./region-program.js";
import { NotThisTimeError, runUpdates, type VariablesBySlot } from "./region-updates.js";
import { reserveForRun, sizesOfRun } from "./session-memory.js";

type SessionUnit = Extract<Unit, { readonly kind: "session" }>;

/**
 * The kernels of updates give no estimate, and others may look at the elements of their inputs, which a device may hold:
 * a nanosecond for a float.
 */
const NANOS_PER_BYTE = 0.25;

export interface RunOptions {
  readonly recorder?: Recorder;
  /** The variables that sessions change, by the slots of their handles or references. */
  readonly variables?: VariablesBySlot;
  /** A session has failed, and its nodes have run by their kernels instead. */
  onSessionFailure?(error: unknown): void;
}

/**
 * Runs a region's program once. If a session fails, its nodes are run by their kernels.
 * @param inputs undefined for dead ones.
 * @returns one value per output of the region; undefined for dead ones.
 * @throws TensorFlowError the error of the first kernel that failed, with its node's name. No part of the region is
 *   still running then.
 */
export function runProgram(
  outline: RegionOutline,
  program: Program,
  inputs: readonly (Value | undefined)[],
  host: RegionHost,
  options: RunOptions = {},
): Outputs | Promise<Outputs> {
  const run = new RegionRun(outline, program, inputs, host, options);
  timeSlices.run(run);
  return run.result();
}

class RegionRun implements Sliced {
  readonly #outline: RegionOutline;
  readonly #program: Program;
  readonly #host: RegionHost;
  readonly #recorder: Recorder | undefined;
  readonly #options: RunOptions;
  /** By slot; undefined if dead, not yet available, or no longer needed. */
  readonly #values: (Value | undefined)[];
  readonly #counts: Int32Array;
  readonly #uses: Int32Array;
  readonly #ready: number[] = [];
  #next = 0;
  /** The number of units whose promises are pending. */
  #waiting = 0;
  #failure: { readonly error: unknown } | undefined;
  #isScheduled = true;
  #hasEnded = false;
  #settle: (() => void) | undefined;

  constructor(
    outline: RegionOutline,
    program: Program,
    inputs: readonly (Value | undefined)[],
    host: RegionHost,
    options: RunOptions,
  ) {
    const { recorder } = options;
    this.#options = options;
    this.#outline = outline;
    this.#program = program;
    this.#host = host;
    this.#recorder = recorder;
    this.#values = inputs.slice();
    this.#values.length = outline.slotCount;
    for (const [slot, value] of outline.constants) {
      // One that is an input may be dead.
      if (slot >= outline.inputCount) {
        this.#values[slot] = value;
      }
    }
    if (recorder !== undefined) {
      for (const [slot, value] of inputs.entries()) {
        recorder.see(slot, value, options.variables?.get(slot));
      }
    }
    this.#counts = program.counts.slice();
    this.#uses = program.uses.slice();
    for (let unit = 0; unit < program.counts.length; unit += 1) {
      if (program.counts[unit] === 0) {
        this.#ready.push(unit);
      }
    }
  }

  result(): Outputs | Promise<Outputs> {
    if (this.#hasEnded) {
      return this.#outputs();
    }
    return new Promise((resolve, reject) => {
      this.#settle = () => {
        try {
          resolve(this.#outputs());
        } catch (error) {
          reject(error);
        }
      };
    });
  }

  workUntil(deadlineMillis: number): boolean {
    const { failure } = this.#host;
    if (failure !== undefined) {
      this.#failure ??= { error: failure };
    }
    while (this.#failure === undefined && this.#next < this.#ready.length) {
      const unit = this.#ready[this.#next] ?? 0;
      this.#next += 1;
      this.#start(unit);
      if (performance.now() >= deadlineMillis && this.#next < this.#ready.length) {
        return true;
      }
    }
    this.#isScheduled = false;
    if (this.#waiting === 0) {
      this.#hasEnded = true;
      this.#settle?.();
    }
    return false;
  }

  #outputs(): Outputs {
    if (this.#failure !== undefined) {
      this.#values.forEach(freeUnlessHeld);
      throw this.#failure.error;
    }
    return this.#outline.outputs.map((slot) => this.#values[slot]);
  }

  #start(index: number): void {
    const unit = this.#program.units[index];
    if (unit === undefined) {
      return;
    }
    const recorder = unit.kind === "kernel" ? this.#recorder : undefined;
    const startMillis = recorder === undefined ? 0 : performance.now();
    try {
      const outputs = unit.kind === "kernel" ? this.#runKernel(unit.member) : this.#runSession(unit);
      if (outputs instanceof Promise) {
        this.#await(index, unit, outputs);
      } else {
        if (recorder !== undefined && unit.kind === "kernel") {
          recorder.millis[unit.index] = performance.now() - startMillis;
        }
        this.#finish(index, unit, outputs);
      }
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  #await(index: number, unit: Unit, outputs: Promise<Outputs | undefined>): void {
    this.#waiting += 1;
    const startMillis = this.#recorder === undefined ? 0 : performance.now();
    const settled = (act: () => void): void => {
      this.#waiting -= 1;
      try {
        act();
      } catch (error) {
        this.#failure ??= { error };
      }
      if (!this.#isScheduled) {
        this.#isScheduled = true;
        timeSlices.run(this);
      }
    };
    outputs.then(
      (given) =>
        settled(() => {
          if (this.#recorder !== undefined && unit.kind === "kernel") {
            this.#recorder.millis[unit.index] = performance.now() - startMillis;
          }
          this.#finish(index, unit, given);
        }),
      (error: unknown) =>
        settled(() => {
          throw error;
        }),
    );
  }

  /** @returns undefined for a node that is dead. */
  #runKernel(member: RegionMember): Outputs | Promise<Outputs> | undefined {
    const { inputs, waits, node } = member;
    const given = new Array<Value>(inputs.length);
    for (let i = 0; i < inputs.length; i += 1) {
      const value = this.#values[inputs[i] ?? -1];
      if (value === undefined) {
        return undefined;
      }
      given[i] = value;
    }
    for (const slot of waits) {
      if (this.#values[slot] === undefined) {
        return undefined;
      }
    }
    if (this.#recorder !== undefined) {
      this.#recorder.estimatedNanos += estimateOf(member, given);
    }
    return this.#host.run(node, given);
  }

  /** Runs the kernels of its nodes if it fails. */
  async #runSession(unit: SessionUnit): Promise<Outputs> {
    const startMillis = performance.now();
    const { step } = this.#host;
    let given: readonly Tensor[] = [];
    let beganMillis = startMillis;
    let giveBack: (() => void) | undefined;
    const on = {
      inputs: (inputs: readonly Tensor[]) => {
        giveBack = memoryFor(unit, inputs);
        given = inputs;
        this.#copied(unit, inputs, startMillis);
      },
      ran: (millis: number) => {
        // Its results count by themselves now.
        giveBack?.();
        beganMillis = performance.now() - millis;
      },
    };
    try {
      const outputs = await (unit.updates.length === 0
        ? this.#inputsOf(unit).then((inputs) => {
            on.inputs(inputs);
            return unit.session.run(inputs, step.signal, on.ran);
          })
        : runUpdates(unit, this.#values, this.#options.variables, step, on));
      this.#host.ranTogether(() => partsOf(unit, given, outputs), startMillis, beganMillis);
      return outputs;
    } catch (error) {
      giveBack?.();
      if (error instanceof TensorFlowError) {
        throw error;
      }
      const outline = { ...this.#outline, members: unit.members, outputs: unit.outputs };
      const outputs = await runProgram(outline, substituteProgram(outline), this.#values, this.#host);
      this.#options.onSessionFailure?.(error);
      return outputs;
    }
  }

  async #inputsOf(unit: SessionUnit): Promise<readonly Tensor[]> {
    const tensors: Tensor[] = [];
    for (const slot of unit.inputs) {
      const value = this.#values[slot];
      const read = value instanceof RefValue ? await value.cell.readOnce(this.#host.step) : value;
      if (!(read instanceof Tensor)) {
        // The node's kernel reports this with a better message.
        throw new SessionError("An input has no value.");
      }
      tensors.push(read);
    }
    return tensors;
  }

  /** Shows inputs that are copied to a GPU in the step's statistics. */
  #copied({ session }: SessionUnit, inputs: readonly Tensor[], startMillis: number): void {
    const bytes = bytesOf(inputs.filter((input) => !(input instanceof DeviceTensor)));
    if (session.isOnGpu && bytes > 0) {
      this.#host.copied(session.deviceName, bytes, startMillis);
    }
  }

  #finish(index: number, unit: Unit, outputs: Outputs | undefined): void {
    const recorder = this.#recorder;
    if (unit.kind === "kernel") {
      const { member } = unit;
      if (outputs !== undefined) {
        for (let i = 0; i < member.outputs.length; i += 1) {
          this.#put(member.outputs[i] ?? -1, outputs[i]);
          recorder?.see(member.outputs[i] ?? -1, outputs[i]);
        }
        this.#values[member.done] = HAS_ENDED;
        if (member.constant !== undefined) {
          recorder?.seeConstant(member);
        }
      }
    } else {
      for (let i = 0; i < unit.outputs.length; i += 1) {
        this.#put(unit.outputs[i] ?? -1, outputs?.[i]);
      }
      for (const { done } of unit.members) {
        this.#values[done] = HAS_ENDED;
      }
      for (const { member, variables } of unit.updates) {
        // The reference to its first variable.
        for (const slot of member.outputs) {
          this.#put(slot, this.#values[variables[0] ?? -1]);
        }
      }
    }
    this.#used(this.#program.reads[index] ?? []);
    for (const next of this.#program.next[index] ?? []) {
      const left = (this.#counts[next] ?? 0) - 1;
      this.#counts[next] = left;
      if (left === 0) {
        this.#ready.push(next);
      }
    }
  }

  #put(slot: number, value: Value | undefined): void {
    if (this.#uses[slot] === 0) {
      freeUnlessHeld(value);
    } else {
      this.#values[slot] = value;
    }
  }

  /** Drops values that no unit needs anymore. */
  #used(slots: readonly number[]): void {
    for (const slot of slots) {
      const left = (this.#uses[slot] ?? 0) - 1;
      this.#uses[slot] = left;
      if (left === 0) {
        freeUnlessHeld(this.#values[slot]);
        this.#values[slot] = undefined;
      }
    }
  }
}

/**
 * Takes the memory of a run.
 * @returns gives it back; undefined if nothing has to be.
 * @throws NotThisTimeError if there may be none: a kernel that finds no memory names its node.
 */
function memoryFor({ session, recorded }: SessionUnit, inputs: readonly Tensor[]): (() => void) | undefined {
  if (session.isOnGpu) {
    return undefined;
  }
  const { computedBytes, peakBytes } = sizesOfRun(recorded.sizes, inputs);
  if (!session.takes(peakBytes)) {
    throw new NotThisTimeError("A session of large runs keeps no memory, and is yet to be made.");
  }
  const giveBack = reserveForRun(computedBytes, inputs);
  if (giveBack === undefined) {
    throw new NotThisTimeError("There may be no memory for a session.");
  }
  return giveBack;
}

/**
 * The nodes of a session that has run. Of values that stayed within it, the shapes are those of the recorded run if its
 * inputs had the same ones.
 */
function partsOf(
  { members, inputs, outputs, recorded }: SessionUnit,
  given: readonly Tensor[],
  made: Outputs,
): readonly RegionPart[] {
  const areAsRecorded = inputs.every((slot, index) =>
    sameShape(recorded.shapes[slot] ?? [], given[index]?.shape ?? []),
  );
  const seen = new Map(outputs.map((slot, index) => [slot, made[index]]));
  return members.map(({ node, outputs: slots }, index) => ({
    node,
    weight: recorded.millis[index] ?? 0,
    shapes: slots.map((slot) => {
      const value = seen.get(slot);
      if (value instanceof Tensor) {
        return value.shape;
      }
      return areAsRecorded ? recorded.shapes[slot] : undefined;
    }),
  }));
}

/** The time that a kernel is expected to take, in nanoseconds. */
function estimateOf({ node: { work }, update }: RegionMember, given: readonly Value[]): number {
  if (work.kind !== "pure") {
    return update === undefined || update.isCopy ? 0 : bytesOf(given) * NANOS_PER_BYTE;
  }
  const tensors = given.map((value) => (value instanceof RefValue ? value.cell.value : value));
  if (!tensors.every((tensor) => tensor instanceof Tensor)) {
    return 0;
  }
  return isAnyOnDevice(tensors) ? bytesOf(tensors) * NANOS_PER_BYTE : borrowing(() => work.cost(tensors));
}
