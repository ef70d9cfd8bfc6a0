/** Memory of ONNX Runtime's thread that is freed without waiting for its garbage collector, which may leave it for long. */
import { setImmediate as nextTurn } from "node:timers/promises";

/** Less is left to the garbage collector. */
const LARGE_BYTES = 2 ** 22;

let mayBePending = false;

/** Frees arrays that nothing uses any more, if they are large. */
export function freeNow(memory: readonly ArrayBufferLike[]): void {
  const large = memory.filter(
    (one): one is ArrayBuffer => one instanceof ArrayBuffer && one.byteLength >= LARGE_BYTES,
  );
  if (large.length === 0) {
    return;
  }
  const { port1, port2 } = new MessageChannel();
  // Memory that is transferred to a closed port is freed.
  port1.close();
  port1.postMessage(undefined, large);
  port2.close();
  mayBePending = true;
}

/**
 * Resolves when the memory of earlier outputs that are garbage, here or on another thread, is free: ONNX Runtime's addon does
 * that between turns of the thread that made them.
 * @param bytes that are allocated next; not worth a turn if they are few.
 */
export async function freePending(bytes: number): Promise<void> {
  if (mayBePending || bytes >= LARGE_BYTES) {
    mayBePending = false;
    await nextTurn();
  }
}
