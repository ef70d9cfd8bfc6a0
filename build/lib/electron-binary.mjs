// Electron's binary: its path, and its download on first use. The npm package does not include it.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { packageDir } from "./project.mjs";

const DEFAULT_WAIT_SECONDS = 180;
const PROGRAMS = { darwin: "Electron.app/Contents/MacOS/Electron", win32: "electron.exe" };
const fetchScript = join(dirname(fileURLToPath(import.meta.url)), "fetch-electron.mjs");

/** The binary's path, or undefined if it has not been downloaded. ELECTRON_OVERRIDE_DIST_PATH names another folder. */
export function findElectron(env = process.env) {
  const program = PROGRAMS[process.platform] ?? "electron";
  const override = env.ELECTRON_OVERRIDE_DIST_PATH;
  if (override) {
    const path = join(override, program);
    return existsSync(path) ? path : undefined;
  }
  const folder = packageDir("electron");
  if (folder === undefined) return undefined;
  // Electron's own install script writes path.txt last: without it the folder may be half unpacked.
  try {
    const path = join(folder, "dist", readFileSync(join(folder, "path.txt"), "utf8").trim());
    return existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

/** How long a first download may take, in seconds. */
export function electronWaitSeconds(env = process.env) {
  const seconds = Number(env.TENSORDECK_ELECTRON_WAIT_SECONDS);
  return env.TENSORDECK_ELECTRON_WAIT_SECONDS && Number.isFinite(seconds) && seconds >= 0
    ? seconds
    : DEFAULT_WAIT_SECONDS;
}

/** Downloads Electron, showing progress. Returns undefined on success, otherwise why it failed. */
export async function fetchElectron() {
  if (process.env.ELECTRON_OVERRIDE_DIST_PATH) {
    return `ELECTRON_OVERRIDE_DIST_PATH is ${process.env.ELECTRON_OVERRIDE_DIST_PATH}, where there is no Electron.`;
  }
  const folder = packageDir("electron");
  if (folder === undefined) return "The electron package is not installed (npm ci installs it).";
  const seconds = electronWaitSeconds();
  if (seconds === 0) return "Electron is not on this machine yet, and TENSORDECK_ELECTRON_WAIT_SECONDS is 0.";
  console.log(`Fetching Electron, the desktop window, for its first use. Waiting at most ${seconds} s.`);
  let errors = "";
  let timedOut = false;
  const child = spawn(process.execPath, [fetchScript, folder], { stdio: ["ignore", "inherit", "pipe"] });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    errors += text;
  });
  const timer = setTimeout(() => {
    timedOut = true;
    child.kill();
  }, seconds * 1000);
  const code = await new Promise((resolve) => {
    child.once("error", () => resolve(1));
    child.once("close", resolve);
  });
  clearTimeout(timer);
  if (timedOut)
    return `Electron was not there within ${seconds} s (TENSORDECK_ELECTRON_WAIT_SECONDS sets the wait).`;
  if (code === 0 && findElectron() !== undefined) return undefined;
  const reason =
    errors.split("\n").find((line) => /error|failed|refused|not found/i.test(line)) ?? errors.trim();
  return `Electron could not be fetched: ${reason.trim() || `its installation ended with code ${code}`}.`;
}
