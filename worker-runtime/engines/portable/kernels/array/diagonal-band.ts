import { invalidArgument } from "../../../../protocol/status.js";
import type { Tensor } from "../../../../protocol/tensor.js";
import { integersOf } from "../support/elements.js";
import { cppShapeText } from "../support/shapes.js";

/** The diagonals from `low` (below the main one if negative) to `high`, packed as rows of one length. */
export class Band {
  readonly low: number;
  readonly high: number;
  readonly #leftSuper: boolean;
  readonly #leftSub: boolean;

  /** @param align such as "LEFT_RIGHT": the alignment of shorter diagonals above and below the main one. */
  constructor(low: number, high: number, align: string) {
    if (low > high) {
      throw invalidArgument(`lower_diag_index must not be larger than upper_diag_index: ${low} > ${high}`);
    }
    this.low = low;
    this.high = high;
    this.#leftSuper = align.startsWith("LEFT");
    this.#leftSub = align.endsWith("LEFT");
  }

  get count(): number {
    return this.high - this.low + 1;
  }

  /** The length of the longest diagonal of the band in a matrix. */
  longest(rows: number, columns: number): number {
    return Math.min(rows + Math.min(this.high, 0), columns - Math.max(this.low, 0));
  }

  /** @throws TensorFlowError INVALID_ARGUMENT if a matrix of this size does not have these diagonals. */
  checkWithin(rows: number, columns: number): void {
    for (const [name, d] of [
      ["lower_diag_index", this.low],
      ["upper_diag_index", this.high],
    ] as const) {
      if (d !== 0 && (d <= -rows || d >= columns)) {
        throw invalidArgument(`${name} is out of bound: ${d}. It must be between ${-rows} and ${columns}`);
      }
    }
  }

  /** Visits every element of the band: its index in the matrix and its index among the packed diagonals. */
  forEach(rows: number, columns: number, visit: (inMatrix: number, inBand: number) => void): void {
    const longest = this.longest(rows, columns);
    for (let d = this.high; d >= this.low; d -= 1) {
      const length = Math.min(rows + Math.min(d, 0), columns - Math.max(d, 0));
      const left = (d >= 0 && this.#leftSuper) || (d <= 0 && this.#leftSub);
      const start = (this.high - d) * longest + (left ? 0 : longest - length);
      for (let i = 0; i < length; i += 1) {
        visit((i + Math.max(-d, 0)) * columns + i + Math.max(d, 0), start + i);
      }
    }
  }

  /** The last dimensions of the packed diagonals; a single diagonal has no dimension of its own. */
  shape(longest: number): number[] {
    return this.count > 1 ? [this.count, longest] : [longest];
  }
}

/** The band of an input k and the attribute `align`. @throws TensorFlowError INVALID_ARGUMENT */
export function bandOf(k: Tensor, align: string): Band {
  const diagonals = integersOf(k);
  if (k.shape.length > 1 || diagonals.length < 1 || diagonals.length > 2) {
    throw invalidArgument(
      `diag_index must be a scalar or vector of at most 2 elements, received tensor of shape: ${cppShapeText(k.shape)}`,
    );
  }
  const [low = 0, high = low] = diagonals;
  return new Band(low, high, align);
}

export const mainDiagonal = new Band(0, 0, "LEFT_LEFT");
