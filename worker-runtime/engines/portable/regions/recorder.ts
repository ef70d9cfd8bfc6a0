import { Tensor } from "../../../protocol/tensor.js";
import { DeviceTensor } from "../gpu/device-tensor.js";
import { RefValue, type Value } from "../values.js";
import { MAX_KNOWN_ELEMENTS, type Recording } from "./known-values.js";
import type { RegionMember, RegionOutline } from "./region-outline.js";
import type { BoundVariable } from "./region-updates.js";

/** Records the shapes, small values and times of a run. */
export class Recorder implements Recording {
  readonly shapes: (readonly number[] | undefined)[];
  readonly values: (Tensor | undefined)[];
  readonly millis: number[];
  /** The kernels' cost estimates, in nanoseconds on one slow core. */
  estimatedNanos = 0;
  readonly #mayBeKnown: Uint8Array;

  /** @param mayBeKnown by slot: whether its value may follow from shapes. */
  constructor({ slotCount, members, constants }: RegionOutline, mayBeKnown: Uint8Array) {
    this.shapes = new Array(slotCount);
    this.values = new Array(slotCount);
    this.millis = new Array<number>(members.length).fill(0);
    this.#mayBeKnown = mayBeKnown;
    for (const [slot, value] of constants) {
      this.shapes[slot] = value.shape;
      this.values[slot] = value;
    }
  }

  /** @param variable the variable that the value is a handle of or a reference to. */
  see(slot: number, value: Value | undefined, variable?: BoundVariable): void {
    if (!(value instanceof Tensor)) {
      this.shapes[slot] =
        variable?.shape ?? (value instanceof RefValue ? value.cell.value?.shape : undefined);
      return;
    }
    this.shapes[slot] = value.shape;
    if (
      this.#mayBeKnown[slot] === 1 &&
      value.size <= MAX_KNOWN_ELEMENTS &&
      !(value instanceof DeviceTensor)
    ) {
      this.values[slot] = value;
    }
  }

  seeConstant(member: RegionMember): void {
    member.outputs.forEach((slot) => {
      this.values[slot] = member.constant;
    });
  }

  get totalMillis(): number {
    return this.millis.reduce((sum, millis) => sum + millis, 0);
  }
}
