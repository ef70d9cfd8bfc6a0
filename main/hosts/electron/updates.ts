/**
 * Updates of a package that was made with a feed (TENSORDECK_UPDATE_URL): electron-updater compares versions, and checks
 * that an update is signed by who signed this program before it installs it. Nothing is downloaded unasked.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Dialog } from "electron";
import { log } from "../../shared/log/log.js";

/** The part of electron-updater's `autoUpdater` that is used. */
export interface Updater {
  autoDownload: boolean;
  autoInstallOnAppQuit: boolean;
  checkForUpdates(): Promise<{
    readonly isUpdateAvailable: boolean;
    readonly updateInfo: { readonly version: string };
  } | null>;
  downloadUpdate(): Promise<unknown>;
}

export interface UpdateOptions {
  readonly platform: NodeJS.Platform;
  /** The package's folder of resources, in which electron-builder writes the feed. */
  readonly resources: string;
  /** The folder of the account in which downloaded updates are kept. */
  readonly localData: string;
  readonly dialog: Pick<Dialog, "showMessageBox">;
  load(): Promise<Updater>;
}

/**
 * Looks for an update once, and offers it. It is installed when the program ends. A failure is logged: that there may be
 * an update is no reason to disturb.
 */
export async function offerUpdate({
  platform,
  resources,
  localData,
  dialog,
  load,
}: UpdateOptions): Promise<void> {
  // On Linux nothing is signed that the library would check; deb and rpm are updated by the system.
  if (platform === "linux" || !existsSync(join(resources, "app-update.yml"))) return;
  if (platform === "win32" && !isCheckable(localData)) {
    log.warning(
      `Updates cannot be checked in ${localData}, because of a character in its name. Install them by hand.`,
    );
    return;
  }
  try {
    const updater = await load();
    updater.autoDownload = false;
    updater.autoInstallOnAppQuit = true;
    const found = await updater.checkForUpdates();
    if (found?.isUpdateAvailable !== true) return;
    const { response } = await dialog.showMessageBox({
      type: "info",
      message: `Tensordeck ${found.updateInfo.version} is available.`,
      detail: "It is downloaded now, and installed when you quit Tensordeck.",
      buttons: ["Download", "Not now"],
      defaultId: 0,
      cancelId: 1,
    });
    if (response === 0) await updater.downloadUpdate();
  } catch (error) {
    log.warning("No update could be had:", error);
  }
}

/**
 * True if electron-updater can check the signature of a file in a folder. It writes the path into a command of PowerShell that
 * cmd.exe starts: there percent signs would be replaced, and of PowerShell's quotation marks it only doubles the straight one.
 */
export function isCheckable(folder: string): boolean {
  return !/[%\u2018\u2019\u201a\u201b\u201c\u201d\u201e]/.test(folder);
}
