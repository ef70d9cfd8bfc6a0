import { unlessAborted } from "../../worker-runtime/cancellation/unless-aborted.js";

/** Holds a run between two steps. */
export class PauseGate {
  #opened: Promise<void> | undefined;
  #open: (() => void) | undefined;

  get isClosed(): boolean {
    return this.#opened !== undefined;
  }

  close(): void {
    this.#opened ??= new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#open?.();
    this.#open = undefined;
    this.#opened = undefined;
  }

  /** Resolves once it is open. Rejects with the signal's reason. */
  async pass(signal: AbortSignal): Promise<void> {
    while (this.#opened) await unlessAborted(this.#opened, signal);
  }
}
