/** Consumed entries are removed once there are this many of them. */
const MAX_TAKEN = 1024;

/**
 * Nodes that are ready to run, first in first out. Keeps no consumed entries: a node's inputs may be large.
 */
export class ReadyQueue<T extends object> {
  readonly #items: (T | undefined)[] = [];
  /** Entries before this index were consumed. */
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
