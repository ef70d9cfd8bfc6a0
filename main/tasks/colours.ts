/**
 * Gives out colours in order. A task keeps its own for life; one that was freed comes back only after all that were
 * never used, so that a colour does not change its meaning while somebody still remembers it.
 */
export class Colours {
  /** Size of the window's palette; from there on colours repeat with another swatch. */
  readonly #paletteSize: number;
  #next = 0;
  /** Freed colours, the longest unused first. */
  readonly #freed: number[] = [];

  constructor(paletteSize = 8) {
    this.#paletteSize = paletteSize;
  }

  take(): number {
    if (this.#next < this.#paletteSize) return this.#next++;
    return this.#freed.shift() ?? this.#next++;
  }

  free(colour: number): void {
    this.#freed.push(colour);
  }
}
