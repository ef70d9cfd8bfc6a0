/** How the program ends: first the window, which may have unsaved changes, then the application's tasks. */
import type { App } from "electron";
import { inBackground } from "../../../worker-runtime/faults.js";

/**
 * Tasks are ended by force after two seconds, and a busy machine needs a little longer for the rest, such as saving its
 * state; after that there is nothing worth waiting for.
 */
const SHUTDOWN_DEADLINE_MILLIS = 10_000;

/**
 * Ends the application's tasks before the program ends, but is not blocked by one that does not end. That is after
 * all windows have closed: until then the user may still decide to stay.
 */
export function disposeBeforeEnd(app: Pick<App, "on" | "quit">, dispose: () => Promise<void>): void {
  let state: "running" | "disposing" | "ended" = "running";
  app.on("will-quit", (event) => {
    if (state === "ended") return;
    event.preventDefault();
    if (state === "disposing") return;
    state = "disposing";
    const deadline = new Promise<void>((resolve) => {
      setTimeout(resolve, SHUTDOWN_DEADLINE_MILLIS);
    });
    inBackground(
      Promise.race([dispose().catch(() => undefined), deadline]).finally(() => {
        state = "ended";
        app.quit();
      }),
    );
  });
}
