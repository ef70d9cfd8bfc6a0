/** The documents that are being read: the window that asked for one can end that. */
import { withSharedSignal } from "../../worker-runtime/cancellation/shared-signal.js";
import { problem } from "../shared/problems.js";

export class Openings {
  readonly #going = new Map<string, AbortController>();

  /**
   * Reads a document.
   *
   * @param id by which it can be cancelled; left out: it cannot
   * @param gone aborted when the window that asked has gone
   */
  async follow<T>(
    id: string | undefined,
    gone: AbortSignal,
    read: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (id === undefined) return read(gone);
    const abort = new AbortController();
    this.#going.set(id, abort);
    try {
      return await withSharedSignal([gone, abort.signal], read);
    } finally {
      this.#going.delete(id);
    }
  }

  /** Does nothing for a document that has been read. */
  cancel(id: string): void {
    this.#going.get(id)?.abort(problem("CANCELLED", "The opening was cancelled."));
  }
}
