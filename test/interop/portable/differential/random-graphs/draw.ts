import fc from "fast-check";
import type { DType } from "../../../../../worker-runtime/protocol/dtype.js";
import type { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";
import { type Domain, tensor } from "../arbitraries.js";

/** Choices that a seed determines. */
export class Draw {
  readonly #value: fc.GeneratorValue;

  constructor(seed: number) {
    const [value] = fc.sample(fc.gen(), { seed, numRuns: 1 });
    this.#value = value as fc.GeneratorValue;
  }

  /** From least to most, both included. */
  int(least: number, most: number): number {
    return this.#value(fc.integer, { min: least, max: most });
  }

  chance(percent: number): boolean {
    return this.int(1, 100) <= percent;
  }

  /** @throws Error if there is nothing to choose from. */
  of<T>(list: readonly T[]): T {
    if (list.length === 0) throw new Error("There is nothing to choose from.");
    return list[this.int(0, list.length - 1)] as T;
  }

  /** Some, in their order; maybe none or all. */
  some<T>(list: readonly T[]): T[] {
    return list.filter(() => this.chance(50));
  }

  shuffled<T>(list: readonly T[]): T[] {
    const left = [...list];
    return list.map(() => left.splice(this.int(0, left.length - 1), 1)[0] as T);
  }

  tensor(dtype: DType, shape: readonly number[], domain: Domain): Tensor {
    return this.#value(tensor, dtype, shape, domain);
  }
}
