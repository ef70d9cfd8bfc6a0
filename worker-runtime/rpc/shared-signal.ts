import { LightAbortController } from "../light-abort.js";

/**
 * Gives work that does many things at once a signal to hand to each of them. It follows the given signal, which thereby has
 * one listener more however many things there are, and is aborted when the work is over: what still goes on then, since
 * another of them failed or was enough, ends with it, and no listener is left anywhere.
 */
export async function withSharedSignal<T>(
  signal: AbortSignal | undefined,
  work: (shared: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new LightAbortController();
  const follow = (): void => controller.abort(signal?.reason);
  if (signal?.aborted) follow();
  signal?.addEventListener("abort", follow, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    signal?.removeEventListener("abort", follow);
    controller.abort();
  }
}
