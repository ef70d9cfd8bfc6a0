/**
 * Assigns colours in order. A task keeps its own for life; a freed colour is reused only after all unused ones, so
 * that a colour does not change its meaning while users still remember it.
 */
export class Colours {
  /** Size of the window's palette; from there on colours repeat with another swatch. */
  readonly #paletteSize: number;
  readonly #taken = new Map<string, number>();
  /** Freed colours, the longest unused first. */
  readonly #freed: number[] = [];
  /** The lowest colour that was never assigned; those below it are taken or freed. */
  #next = 0;

  constructor(paletteSize = 8) {
    this.#paletteSize = paletteSize;
  }

  /** The colour of a task; a task that has none gets one. */
  of(taskId: string): number {
    const known = this.#taken.get(taskId);
    if (known !== undefined) return known;
    const colour = this.#next < this.#paletteSize ? this.#next++ : (this.#freed.shift() ?? this.#next++);
    this.#taken.set(taskId, colour);
    return colour;
  }

  free(taskId: string): void {
    const colour = this.#taken.get(taskId);
    if (colour === undefined) return;
    this.#taken.delete(taskId);
    this.#freed.push(colour);
  }

  /** Gives a task the colour that it had in a previous run of the application, unless that is taken. */
  restore(taskId: string, colour: number): void {
    if (this.#taken.has(taskId) || [...this.#taken.values()].includes(colour)) return;
    for (; this.#next <= colour; this.#next++) if (this.#next < colour) this.#freed.push(this.#next);
    const freed = this.#freed.indexOf(colour);
    if (freed !== -1) this.#freed.splice(freed, 1);
    this.#taken.set(taskId, colour);
  }

  /** The colours of all tasks, by task. */
  entries(): Record<string, number> {
    return Object.fromEntries(this.#taken);
  }
}
