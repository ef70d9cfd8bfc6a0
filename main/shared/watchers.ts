/** The windows watching the application: data that only windows show is collected only for them. */
export class Watchers {
  readonly #begins = new Map<() => () => void, (() => void) | undefined>();
  #count = 0;

  get any(): boolean {
    return this.#count > 0;
  }

  /** Adds a watcher, until the returned function is called. */
  add(): () => void {
    if (this.#count++ === 0) for (const begin of this.#begins.keys()) this.#begins.set(begin, begin());
    let looks = true;
    return () => {
      if (looks && --this.#count === 0) {
        for (const [begin, end] of this.#begins) {
          end?.();
          this.#begins.set(begin, undefined);
        }
      }
      looks = false;
    };
  }

  /**
   * Begins something with the first watcher and ends it with the last, until the returned function is called.
   *
   * @param begin Returns the function that ends it.
   */
  whileAny(begin: () => () => void): () => void {
    this.#begins.set(begin, this.any ? begin() : undefined);
    return () => {
      this.#begins.get(begin)?.();
      this.#begins.delete(begin);
    };
  }
}
