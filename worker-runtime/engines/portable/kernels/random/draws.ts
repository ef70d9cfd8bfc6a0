import { standardNormal, uniform } from "./distributions.js";
import type { Philox } from "./philox.js";

const normal = standardNormal("float64");
const uniformDraws = uniform("float64");

/**
 * float64 draws of one distribution that are made a block at a time and returned last first, as in TensorFlow's
 * rejection samplers. Several of them may share a stream; each reads its next block at the stream's current position.
 */
export class Draws {
  readonly #distribution;
  readonly #stream: Philox;
  readonly #block = new Float64Array(2);
  #left = 0;

  /** @param stream is advanced by one block whenever the draws of the previous one are used up. */
  constructor(kind: "normal" | "uniform", stream: Philox) {
    this.#distribution = kind === "normal" ? normal : uniformDraws;
    this.#stream = stream;
  }

  next(): number {
    if (this.#left === 0) {
      this.#distribution.fill(this.#stream, this.#block, 0, 1);
      this.#stream.skip(1);
      this.#left = this.#block.length;
    }
    this.#left -= 1;
    return this.#block[this.#left] ?? 0;
  }
}
