/** Ends this process together with the one that started it, even if that is killed. */
import { processExists } from "../../../worker-runtime/engines/process-exists.js";

const CHECK_INTERVAL_MILLIS = 1000;

/**
 * Calls `onGone` once when the parent is gone: when the channel that Node's `fork` made closes, or when the process of
 * the given id no longer exists.
 */
export function watchParent(pid: number | undefined, onGone: () => void): void {
  if (process.connected) process.once("disconnect", onGone);
  if (pid === undefined) return;
  const timer = setInterval(() => {
    if (processExists(pid)) return;
    clearInterval(timer);
    onGone();
  }, CHECK_INTERVAL_MILLIS);
  timer.unref();
}
