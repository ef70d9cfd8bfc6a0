/** Which of the registered pairs (registered-pairs.ts) have been compared, as cases ran. */
import type { Case } from "./case.js";
import type { Outcome } from "./evaluate.js";
import { exercisedPairs } from "./exercised.js";

/** Pairs that no case compares, as patterns with the reason: "Abort" or "_Recv *" for every dtype of an op. */
export type Exceptions = Readonly<Record<string, string>>;

export class Coverage {
  readonly #registered: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #compared = new Set<string>();

  constructor(registered: ReadonlyMap<string, ReadonlySet<string>>) {
    this.#registered = registered;
  }

  /** Counts what the steps of a case ran that had values on TensorFlow; of a step that fails nothing is compared. */
  add(one: Case, expected: readonly Outcome[]): void {
    for (const [i, step] of one.steps.entries()) {
      if (expected[i]?.kind === "values") {
        for (const pair of exercisedPairs(one, step)) this.#compared.add(pair);
      }
    }
  }

  /**
   * The registered pairs that were not compared and are no exceptions, one line an op, and the exceptions that nothing
   * needs: what the engine does not have, or what was compared after all.
   */
  uncovered(exceptions: Exceptions): string[] {
    const needed = new Set<string>();
    const missing = new Map<string, string[]>();
    for (const [op, pairs] of this.#registered) {
      for (const pair of pairs) {
        if (this.#compared.has(pair)) continue;
        const exception = [pair, `${op} *`].find((name) => exceptions[name] !== undefined);
        if (exception === undefined) missing.set(op, [...(missing.get(op) ?? []), pair.slice(op.length + 1)]);
        else needed.add(exception);
      }
    }
    const lines = [...missing].map(([op, pairs]) => `${op} ${pairs.join(" ")}`.trim());
    const idle = Object.keys(exceptions).filter((name) => !needed.has(name));
    return [...lines, ...idle.map((name) => `The exception "${name}" is not needed.`)];
  }
}
