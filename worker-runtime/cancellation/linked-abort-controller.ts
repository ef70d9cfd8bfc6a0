import { setMaxListeners } from "node:events";
import type { CancellationSignal } from "./cancellation-signal.js";

/**
 * An AbortController that other signals abort, too, with their reasons. It must be aborted at the end of what it is for: it
 * then leaves no listener on the others, of which some live as long as the program.
 *
 * It is used in place of `AbortSignal.any`, which has no end: a signal that lives on keeps the composites made of it, and
 * Node 20 drops a part that nothing else holds, such as an `AbortSignal.timeout`, with the next garbage collection.
 */
export class LinkedAbortController extends AbortController {
  readonly #others: readonly CancellationSignal[];
  readonly #follow = (): void => this.abort(this.#others.find(({ aborted }) => aborted)?.reason);

  constructor(...others: readonly (CancellationSignal | undefined)[]) {
    super();
    // Node 20 takes the eleventh thing that waits for one signal for a leak.
    setMaxListeners(0, this.signal);
    this.#others = others.filter((other) => other !== undefined);
    for (const other of this.#others) {
      other.addEventListener("abort", this.#follow, { once: true });
    }
    if (this.#others.some(({ aborted }) => aborted)) {
      this.#follow();
    }
  }

  override abort(reason?: unknown): void {
    for (const other of this.#others) {
      other.removeEventListener("abort", this.#follow);
    }
    super.abort(reason);
  }
}
