/** Restores a window, with its draft, whose page has crashed or no longer responds. */
import type { BrowserWindow, Dialog, RenderProcessGoneDetails } from "electron";
import { inBackground } from "../../../worker-runtime/faults.js";
import { log } from "../../shared/log/log.js";

/** A page that crashes as soon as it is loaded would crash forever. */
const MAX_CRASHES = 3;
const CRASHES_WITHIN_MILLIS = 60_000;
const KEPT = "Unsaved edits were kept and are offered again.";

export interface RecoveryOptions {
  readonly dialog: Pick<Dialog, "showMessageBox">;
  readonly now?: () => number;
}

/** Reloads the page when its process is gone, and offers to when it does not respond. */
export function recoverWindow(window: BrowserWindow, { dialog, now = Date.now }: RecoveryOptions): void {
  const { webContents } = window;
  let crashes: number[] = [];
  let question: AbortController | undefined;

  const reload = () => {
    if (!window.isDestroyed()) webContents.reload();
  };

  webContents.on("render-process-gone", (_event, { reason, exitCode }: RenderProcessGoneDetails) => {
    question?.abort();
    if (reason === "clean-exit" || window.isDestroyed()) return;
    log.error(`The window's process has gone: ${reason}, exit code ${exitCode}.`);
    crashes = [...crashes.filter((at) => now() - at < CRASHES_WITHIN_MILLIS), now()];
    if (crashes.length <= MAX_CRASHES) {
      reload();
      return;
    }
    inBackground(
      ask("The window has crashed several times.", `${KEPT} The log says more.`, ["Reload", "Close"]).then(
        (choice) => (choice === 0 ? reload() : window.destroy()),
      ),
    );
  });

  window.on("unresponsive", () => {
    if (question) return;
    log.warning("The window does not answer.");
    inBackground(
      ask("The window does not answer.", `Reload it, or wait. ${KEPT}`, ["Wait", "Reload"]).then((choice) => {
        // A page that hangs cannot reload itself: its process is ended, which reloads it.
        if (choice === 1 && !window.isDestroyed()) webContents.forcefullyCrashRenderer();
      }),
    );
  });
  window.on("responsive", () => question?.abort());

  /** The index of the button; the first one if the question was withdrawn. */
  async function ask(message: string, detail: string, buttons: string[]): Promise<number> {
    const asked = new AbortController();
    question = asked;
    try {
      const { response } = await dialog.showMessageBox(window, {
        type: "warning",
        message,
        detail,
        buttons,
        defaultId: 0,
        cancelId: 0,
        noLink: true,
        signal: asked.signal,
      });
      return asked.signal.aborted ? 0 : response;
    } finally {
      if (question === asked) question = undefined;
    }
  }
}
