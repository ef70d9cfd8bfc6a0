/** Reports a failed start both in a dialog and to the process that started the program. */
import type { App, Dialog } from "electron";
import { log, logFile } from "../../shared/log/log.js";
import { problemOf } from "../../shared/problems.js";

export interface StartFailureOptions {
  readonly app: Pick<App, "exit">;
  readonly dialog: Pick<Dialog, "showErrorBox">;
}

/**
 * Reports the reason in a dialog, on standard error and in the log, and ends the program with exit code 1.
 */
export function failStart(error: unknown, { app, dialog }: StartFailureOptions): void {
  const { message, reason, remedy } = problemOf(error);
  const file = logFile();
  log.error("Tensordeck could not start:", error);
  dialog.showErrorBox(
    "Tensordeck could not start",
    [message, reason, remedy, file && `More is in ${file.path}.`]
      .filter((part) => part !== undefined)
      .join("\n\n"),
  );
  app.exit(1);
}
