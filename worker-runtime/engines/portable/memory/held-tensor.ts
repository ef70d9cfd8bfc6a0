import type { DType } from "../../../protocol/dtype.js";
import { type DistantData, Tensor } from "../../../protocol/tensor.js";

/** Whether there has ever been such a tensor in this process: many have none, and then no value needs to be looked at. */
let hasHeldTensors = false;

/**
 * A tensor whose memory is given back as soon as nothing needs it, instead of when it is garbage-collected. A holder
 * that keeps it beyond a turn of the event loop must call `hold`, and `letGo` when done.
 */
export abstract class HeldTensor extends Tensor {
  #holders = 0;
  #mayBeFreed = false;

  constructor(dtype: DType, shape: readonly number[], data: DistantData) {
    super(dtype, shape, data);
    hasHeldTensors = true;
  }

  /** Adds a holder. */
  hold(): void {
    this.#holders += 1;
  }

  /** Removes a holder; the last one frees the memory. */
  letGo(): void {
    this.#holders -= 1;
    this.freeUnlessHeld();
  }

  /** Frees it unless it is held by the end of this turn of the event loop. */
  freeUnlessHeld(): void {
    if (this.#holders <= 0 && !this.#mayBeFreed) {
      this.#mayBeFreed = true;
      setImmediate(() => {
        this.#mayBeFreed = false;
        if (this.#holders <= 0) {
          this.free();
        }
      });
    }
  }

  /** Gives the memory back. It may be called again. */
  protected abstract free(): void;
}

/** Whether the memory of one of the values may be given back. */
export function isAnyHeld(values: readonly unknown[]): boolean {
  return hasHeldTensors && values.some((value) => value instanceof HeldTensor);
}

/** Holds a value whose memory may be given back. */
export function holdValue(value: unknown): void {
  if (hasHeldTensors && value instanceof HeldTensor) {
    value.hold();
  }
}

/** Reverses a `holdValue`. */
export function letValueGo(value: unknown): void {
  if (hasHeldTensors && value instanceof HeldTensor) {
    value.letGo();
  }
}

/** Reverses a `holdValue` of each. */
export function letValuesGo(values: readonly unknown[]): void {
  if (hasHeldTensors) {
    values.forEach(letValueGo);
  }
}

/** Frees a value that may never have had a holder. */
export function freeUnlessHeld(value: unknown): void {
  if (hasHeldTensors && value instanceof HeldTensor) {
    value.freeUnlessHeld();
  }
}

/** Frees those values that may never have had a holder. */
export function freeAllUnlessHeld(values: readonly unknown[]): void {
  if (hasHeldTensors) {
    values.forEach(freeUnlessHeld);
  }
}
