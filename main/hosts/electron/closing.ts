/**
 * Asks, when the last window is closed or the application quits, before ending tasks that other machines use or a long
 * run.
 */
import type { App, BrowserWindow, Dialog } from "electron";
import { inBackground } from "../../../worker-runtime/faults.js";
import { type InUse, inUseLines, isAnythingInUse } from "../../app/in-use.js";

const ANSWERS = ["tray", "end", "stay"] as const;
type Answer = (typeof ANSWERS)[number];

export interface ClosingOptions {
  readonly app: Pick<App, "on" | "quit">;
  readonly dialog: Pick<Dialog, "showMessageBox">;
  readonly platform: NodeJS.Platform;
  inUse(): InUse;
  /** Whether the system is ending the program, which no question may delay. */
  isForced(): boolean;
  /** Hides the windows; the application keeps running and is available in the tray. */
  stayInTray(): void;
}

export class Closing {
  readonly #options: ClosingOptions;
  /** The user has confirmed ending what is in use. */
  #confirmed = false;
  #asking = false;

  constructor(options: ClosingOptions) {
    this.#options = options;
    options.app.on("before-quit", (event) => {
      if (this.#mayEnd()) return;
      event.preventDefault();
      this.#ask(undefined, () => options.app.quit());
    });
  }

  /** Asks before the window closes, if the application ends with it. */
  guard(window: BrowserWindow): void {
    window.on("close", (event) => {
      // On macOS an application keeps running without windows.
      if (this.#options.platform === "darwin" || this.#mayEnd()) return;
      event.preventDefault();
      this.#ask(window, () => window.close());
    });
  }

  /** The window stays because of its unsaved changes: the next attempt asks again. */
  stayed(): void {
    this.#confirmed = false;
  }

  #mayEnd(): boolean {
    return this.#confirmed || this.#options.isForced() || !isAnythingInUse(this.#options.inUse());
  }

  #ask(window: BrowserWindow | undefined, end: () => void): void {
    if (this.#asking) return;
    this.#asking = true;
    inBackground(
      this.#answer(window)
        .then((answer) => {
          if (answer === "tray") this.#options.stayInTray();
          if (answer !== "end") return;
          this.#confirmed = true;
          end();
        })
        .finally(() => {
          this.#asking = false;
        }),
    );
  }

  async #answer(window: BrowserWindow | undefined): Promise<Answer> {
    const { dialog, inUse } = this.#options;
    const options = {
      type: "question" as const,
      message: "Tensordeck is in use.",
      detail: `Ending it ends ${inUseLines(inUse()).join("; ")}.\n\nIn the tray it keeps running without a window. Start Tensordeck again to see the window.`,
      buttons: ["Stay in the tray", "End Tensordeck", "Cancel"],
      defaultId: 0,
      cancelId: 2,
      noLink: true,
    };
    const { response } = window
      ? await dialog.showMessageBox(window, options)
      : await dialog.showMessageBox(options);
    return ANSWERS[response] ?? "stay";
  }
}
