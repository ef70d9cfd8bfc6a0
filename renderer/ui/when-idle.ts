const LATEST_MILLIS = 2000;

/** Calls back when the window is idle, or after a short time in any case. */
export function whenIdle(action: () => void): void {
  // Safari has no such callback.
  if (typeof requestIdleCallback === "function") requestIdleCallback(action, { timeout: LATEST_MILLIS });
  else setTimeout(action, LATEST_MILLIS / 4);
}
