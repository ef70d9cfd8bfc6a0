/** Sets of numbers that are joined, each with one number that stands for it (union-find). */
export class DisjointSets {
  readonly #parents: Int32Array;

  /** @param size of as many sets, each with one of the numbers from 0 on. */
  constructor(size: number) {
    this.#parents = Int32Array.from({ length: size }, (_, index) => index);
  }

  /** The number that stands for the set of a number. */
  find(index: number): number {
    let root = index;
    for (let up = this.#parents[root] ?? root; up !== root; up = this.#parents[root] ?? root) {
      root = up;
    }
    for (let at = index; at !== root; ) {
      const up = this.#parents[at] ?? root;
      this.#parents[at] = root;
      at = up;
    }
    return root;
  }

  /** Joins the sets of two numbers. */
  join(one: number, other: number): void {
    this.#parents[this.find(other)] = this.find(one);
  }
}
