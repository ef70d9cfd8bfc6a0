import type { DType } from "../../../protocol/dtype.js";
import { Tensor } from "../../../protocol/tensor.js";
import { sameShape } from "../kernels/support/shapes.js";
import { HeldTensor } from "../memory/held-tensor.js";
import { isOfVariable } from "../resources/reference-variable.js";
import type { Value } from "../values.js";
import type { Recording } from "./known-values.js";
import { makePlan, type Plan } from "./plan.js";
import type { RegionOutline } from "./region-outline.js";
import type { SessionCache } from "./session-cache.js";

/** A plan with values of inputs as constants of its models, and the region with these constants. */
export interface ConstantPlan {
  readonly outline: RegionOutline;
  readonly plan: Plan;
}

export interface ConstantInputsOptions {
  readonly sessions: SessionCache;
  /** As in `makePlan`. */
  readonly minMillis: number;
  /** The number of runs in a row with the same tensors after which they become constants. */
  readonly runs: number;
  /** They do after MIN_RUNS if these have taken this long: making another session then costs no more than it saves. */
  readonly millis: number;
  /** Fewer bytes are not worth another session. */
  readonly minBytes: number;
}

/** No tensor that was used in fewer runs in a row, after the first, becomes a constant. */
const MIN_RUNS = 3;
/** Inputs that have changed this many times are not expected to stay as they are. */
const MAX_CHANGES = 4;
/** The constants of one plan, which ONNX Runtime holds in addition to the variables. */
const MAX_BYTES = 256 * 2 ** 20;

/** Shapes follow from integers; recorded ones are valid whatever the floats are. */
const dtypes: ReadonlySet<DType> = new Set<DType>(["float16", "float32", "float64"]);

interface Seen {
  tensor: WeakRef<Tensor>;
  /** Runs in a row with this tensor, after the first. */
  repeats: number;
  /** The time that all runs had taken when it was first seen. */
  sinceMillis: number;
  changes: number;
}

/**
 * Makes inputs that are the same tensors for many runs constants of a region's models: the variables of a model that is
 * not being trained. ONNX Runtime then folds them into other nodes and arranges them in memory as its kernels need them.
 * They are dropped when one changes.
 */
export class ConstantInputs {
  readonly #outline: RegionOutline;
  readonly #recording: Recording;
  readonly #options: ConstantInputsOptions;
  /** The inputs that may become constants, by slot. */
  readonly #seen = new Map<number, Seen | undefined>();
  #ready:
    | {
        readonly constants: ReadonlyMap<number, Tensor>;
        readonly made: ConstantPlan;
        readonly isForAll: boolean;
      }
    | undefined;
  /** The time that all runs have taken. */
  #millis = 0;
  #isMaking = false;
  #isReleased = false;

  /** @param recording of a run with these ranks, or these shapes if the region's own plan is for them alone. */
  constructor(outline: RegionOutline, recording: Recording, options: ConstantInputsOptions) {
    this.#outline = outline;
    this.#recording = recording;
    this.#options = options;
    const deciding = new Set(
      outline.members.flatMap(({ inputs, lowering, update }) =>
        [...(lowering?.shapeInputs ?? []), ...(update?.variables ?? [])].flatMap(
          (index) => inputs.at(index) ?? [],
        ),
      ),
    );
    for (let slot = 0; slot < outline.inputCount; slot += 1) {
      if (!deciding.has(slot) && !outline.constants.has(slot)) {
        this.#seen.set(slot, undefined);
      }
    }
  }

  /** The plan for these inputs; undefined if there is none. */
  planFor(
    inputs: readonly (Value | undefined)[],
    shapes: readonly (readonly number[])[],
  ): ConstantPlan | undefined {
    const ready = this.#ready;
    if (ready === undefined) {
      return undefined;
    }
    const isAlive = ready.made.plan.sessions.every(({ session }) => session.isAlive);
    if (!isAlive || ![...ready.constants].every(([slot, value]) => inputs[slot] === value)) {
      this.#drop();
      return undefined;
    }
    const isForThese = shapes.every((shape, slot) => sameShape(shape, this.#recording.shapes[slot] ?? []));
    return ready.isForAll || isForThese ? ready.made : undefined;
  }

  /**
   * Takes note of the inputs of a run.
   * @returns resolves when a plan has been made, if these inputs gave reason to.
   */
  observe(inputs: readonly (Value | undefined)[]): Promise<void> | undefined {
    for (const [slot, seen] of this.#seen) {
      this.#see(slot, seen, inputs[slot]);
    }
    return this.#ready === undefined && !this.#isMaking && !this.#isReleased
      ? this.#makeFor(inputs)
      : undefined;
  }

  /** Takes note of the duration of a run. */
  ran(millis: number): void {
    this.#millis += millis;
  }

  /** Releases its sessions. */
  release(): void {
    this.#isReleased = true;
    this.#seen.clear();
    this.#drop();
  }

  #see(slot: number, seen: Seen | undefined, input: Value | undefined): void {
    if (
      !(input instanceof Tensor) ||
      !dtypes.has(input.dtype) ||
      // A received tensor is a new object in every run.
      input instanceof HeldTensor ||
      isOfVariable(input)
    ) {
      this.#seen.delete(slot);
    } else if (seen === undefined) {
      this.#seen.set(slot, {
        tensor: new WeakRef(input),
        repeats: 0,
        sinceMillis: this.#millis,
        changes: 0,
      });
    } else if (seen.tensor.deref() === input) {
      seen.repeats += 1;
    } else if (seen.changes >= MAX_CHANGES) {
      this.#seen.delete(slot);
    } else {
      seen.tensor = new WeakRef(input);
      seen.repeats = 0;
      seen.sinceMillis = this.#millis;
      seen.changes += 1;
    }
  }

  #isConstant({ repeats, sinceMillis }: Seen): boolean {
    const { runs, millis } = this.#options;
    return repeats >= runs || (repeats >= MIN_RUNS && this.#millis - sinceMillis >= millis);
  }

  #makeFor(inputs: readonly (Value | undefined)[]): Promise<void> | undefined {
    const constants = new Map<number, Tensor>();
    let bytes = 0;
    for (const [slot, seen] of this.#seen) {
      const input = inputs[slot];
      if (input instanceof Tensor && seen !== undefined && this.#isConstant(seen)) {
        constants.set(slot, input);
        bytes += input.byteLength;
      }
    }
    return constants.size > 0 && bytes >= this.#options.minBytes && bytes <= MAX_BYTES
      ? this.#make(constants)
      : undefined;
  }

  async #make(constants: ReadonlyMap<number, Tensor>): Promise<void> {
    this.#isMaking = true;
    const outline = { ...this.#outline, constants: new Map([...this.#outline.constants, ...constants]) };
    const values = this.#recording.values.slice();
    for (const [slot, value] of constants) {
      values[slot] = value;
    }
    const { sessions, minMillis } = this.#options;
    try {
      const { shapes, millis, estimatedNanos } = this.#recording;
      const plan = await makePlan(outline, { shapes, millis, estimatedNanos, values }, sessions, minMillis);
      if (plan !== undefined) {
        this.#ready = { constants, made: { outline, plan }, isForAll: !plan.isSpecialized };
      }
      if (this.#isReleased) {
        this.#drop();
      }
    } catch {
      // The plan without constants stays.
      this.#seen.clear();
    } finally {
      this.#isMaking = false;
    }
  }

  #drop(): void {
    const made = this.#ready?.made;
    if (made === undefined) {
      return;
    }
    for (const session of made.plan.sessions) {
      session.release();
    }
    this.#ready = undefined;
  }
}
