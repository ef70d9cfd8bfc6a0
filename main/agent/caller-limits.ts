import { problem } from "../problems.js";

/** How much of one kind of work each paired machine may have under way here, so that none of them uses this one up. */
export class CallerLimits {
  readonly #most: number;
  readonly #what: string;
  readonly #running = new Map<string, number>();

  /** @param what Names the work in the plural: "probes". */
  constructor(most: number, what: string) {
    this.#most = most;
    this.#what = what;
  }

  /**
   * Does work for a machine.
   *
   * @param held What it has here already, besides what is under way.
   * @throws ProblemError RESOURCE_EXHAUSTED when that would be too much; whatever the work throws.
   */
  async within<T>(caller: string, work: () => Promise<T>, held = 0): Promise<T> {
    const running = this.#running.get(caller) ?? 0;
    if (held + running >= this.#most) {
      throw problem("RESOURCE_EXHAUSTED", `One machine may have ${this.#most} ${this.#what} here, no more.`);
    }
    this.#running.set(caller, running + 1);
    try {
      return await work();
    } finally {
      const left = (this.#running.get(caller) ?? 1) - 1;
      if (left === 0) this.#running.delete(caller);
      else this.#running.set(caller, left);
    }
  }
}
