import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { elementLike } from "../elements.js";

/** Which numbers a tensor has: whole ones, of which sums and products are exact, or any from -1.5 to 1.5. */
export type Numbers = "whole" | "fractions";

const MOST = 2 ** 31 - 1;

/** Random choices. One seed gives the same ones in every run. */
export class Draw {
  readonly #numbers: Iterator<number>;

  constructor(seed: number) {
    const [stream] = fc.sample(fc.infiniteStream(fc.noBias(fc.nat({ max: MOST }))), { numRuns: 1, seed });
    if (stream === undefined) throw new Error("fast-check has drawn nothing.");
    this.#numbers = stream;
  }

  /** A whole number from 0. */
  below(count: number): number {
    return Math.floor(this.fraction() * count);
  }

  /** From 0, and less than 1. */
  fraction(): number {
    const { value } = this.#numbers.next();
    return Number(value) / (MOST + 1);
  }

  isOneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  /** @throws Error for an empty list */
  oneOf<T>(list: readonly T[]): T {
    const found = list[this.below(list.length)];
    if (found === undefined) throw new Error("There is nothing to choose from.");
    return found;
  }

  /** The numbers from 0 in any order. */
  order(count: number): number[] {
    return Array.from({ length: count }, (_, i) => ({ i, key: this.fraction() }))
      .sort((a, b) => a.key - b.key)
      .map(({ i }) => i);
  }

  tensor(dtype: DType, shape: readonly number[], numbers: Numbers): Tensor {
    const size = shape.reduce((product, one) => product * one, 1);
    const elements = Array.from({ length: size }, () => {
      const number = numbers === "whole" ? this.below(9) - 4 : this.fraction() * 3 - 1.5;
      return elementLike(dtype === "bool" ? this.below(2) : number, dtype);
    });
    return Tensor.of(elements, dtype, shape);
  }
}
