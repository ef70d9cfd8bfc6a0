import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { App, CrashReporter } from "electron";

/** Writes a dump of a process of Electron that crashes to the data folder. Nothing is sent anywhere. */
export function keepCrashDumps(
  { app, crashReporter }: { app: Pick<App, "setPath">; crashReporter: Pick<CrashReporter, "start"> },
  dataDir: string,
): void {
  const folder = join(dataDir, "crashes");
  // Electron takes only a folder that exists.
  mkdirSync(folder, { recursive: true });
  app.setPath("crashDumps", folder);
  crashReporter.start({ uploadToServer: false });
}
