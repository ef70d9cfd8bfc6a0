import { accessSync, constants, statSync } from "node:fs";
import { homedir } from "node:os";
import { isFullPath } from "../../worker-runtime/programs/find-program.js";
import { neutralFolder } from "../../worker-runtime/programs/run-program.js";

/**
 * The folder in which the application and its tasks work: the account's home, wherever the program was started from; a folder
 * of the system for an account without one.
 */
export function homeFolder(home = homedir()): string {
  return isFullPath(home) && canBeEntered(home) ? home : neutralFolder();
}

function canBeEntered(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK);
    return statSync(folder).isDirectory();
  } catch {
    return false;
  }
}
