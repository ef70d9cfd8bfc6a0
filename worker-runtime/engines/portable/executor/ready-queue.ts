/** Taken places are cut off when there are so many of them. */
const MAX_TAKEN = 1024;

/** What waits to be run, first in first out. Keeps nothing that was taken: a node's inputs may be large. */
export class ReadyQueue<T extends object> {
  readonly #items: (T | undefined)[] = [];
  /** Places before this one were taken. */
  #taken = 0;

  push(item: T): void {
    this.#items.push(item);
  }

  /** The oldest; undefined when there is none. */
  take(): T | undefined {
    const item = this.#items[this.#taken];
    if (item === undefined) {
      return undefined;
    }
    this.#items[this.#taken] = undefined;
    this.#taken += 1;
    if (this.#taken >= MAX_TAKEN) {
      this.#items.splice(0, this.#taken);
      this.#taken = 0;
    }
    return item;
  }

  clear(): void {
    this.#items.length = 0;
    this.#taken = 0;
  }
}
