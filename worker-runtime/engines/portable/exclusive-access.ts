/** Lets one act at a time work on something, in the order in which they came: a lock, for acts that take turns. */
export class ExclusiveAccess {
  /** Ends with the last act that is under way or waits. */
  #busy: Promise<void> | undefined;

  /** Acts at once where nobody else does, otherwise after those that came before. */
  run<T>(act: () => T | Promise<T>): T | Promise<T> {
    const result = this.#busy === undefined ? act() : this.#busy.then(act);
    if (result instanceof Promise) {
      const free = (): void => {
        if (this.#busy === ended) {
          this.#busy = undefined;
        }
      };
      const ended: Promise<void> = result.then(free, free);
      this.#busy = ended;
    }
    return result;
  }
}
