import type { CancellationSignal } from "./cancellation-signal.js";
import { LinkedAbortController } from "./linked-abort-controller.js";

/** One signal or several, each of which ends the work; undefined for none. */
export type Ends = CancellationSignal | undefined | readonly (CancellationSignal | undefined)[];

/**
 * Gives work a signal to hand to everything that it does. It follows the given signals, which thereby have one listener more
 * however many things there are, and is aborted when the work is over: what still goes on then, since another of them failed
 * or was enough, ends with it, and no listener is left anywhere.
 *
 * The signal is Node's own, also where a lighter one is given: this is the way from the one to the other.
 */
export async function withSharedSignal<T>(ends: Ends, work: (shared: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new LinkedAbortController(...[ends].flat());
  try {
    return await work(controller.signal);
  } finally {
    controller.abort();
  }
}
