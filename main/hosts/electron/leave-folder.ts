import { absoluteVariables } from "../../../worker-runtime/engines/own-variables.js";
import { homeFolder } from "../../shared/home-folder.js";

/**
 * Where this variable exists, cmd.exe does not look for programs in its folder before PATH (NeedCurrentDirectoryForExePath).
 * electron-updater starts powershell.exe and chcp through it, by name, to check the signature of an update.
 */
const PATH_ALONE = "NoDefaultCurrentDirectoryInExePath";

/**
 * Leaves the folder in which the program was started, which is that of a document where it was opened through one: Windows
 * would look there for programs and libraries that this process or Chromium's start or load by their names. To be called
 * once the paths in the arguments are resolved, and before Chromium starts processes of its own.
 *
 * @param process to move.
 */
export function leaveFolder(
  process: Pick<NodeJS.Process, "chdir" | "env"> = globalThis.process,
  home = homeFolder(),
): void {
  Object.assign(process.env, absoluteVariables(process.env), { [PATH_ALONE]: "1" });
  process.chdir(home);
}
