// `npm start`: opens the desktop window; if that is impossible, or with --headless, serves the same window on 127.0.0.1
// to a browser. Builds first if something has changed. Further arguments are passed to the host.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { noDisplayReason } from "./lib/display.mjs";
import { fetchElectron, findElectron } from "./lib/electron-binary.mjs";
import { BuildError, main, outDir, root } from "./lib/project.mjs";
import { buildAll, cannotBuild } from "./lib/steps.mjs";

const headlessMain = join(outDir, "program", "headless", "main.js");

const USAGE = `Usage: npm start -- [--headless] [options of the host]

Opens Tensordeck's window. Without a display, or where Electron cannot be fetched, the same window is served on
127.0.0.1 and its address is printed.

  --headless   serve the window to a browser at once
  --help       this text; with --headless, the options of the headless host

Environment:
  TENSORDECK_ELECTRON_WAIT_SECONDS   how long the first download of Electron may take (180)
  ELECTRON_OVERRIDE_DIST_PATH        a folder that holds an Electron to use instead`;

/** An Electron that fails within this time never showed its window. */
const EARLY_EXIT_MILLIS = 15_000;

/**
 * Serves the window from this process: it starts sooner, and signals need no forwarding. Under npm the parent is a
 * shell that npm ends without notifying us when npm itself is ended: then we end with it.
 */
async function serve(args) {
  const parent = process.env.npm_lifecycle_event === "start" ? ["--parent-pid", String(process.ppid)] : [];
  process.argv = [process.execPath, headlessMain, ...parent, ...args];
  await import(pathToFileURL(headlessMain).href);
}

/** Runs the desktop window until it is closed. Returns why it could not be shown, or undefined if it was. */
function openWindow(electron, args) {
  return new Promise((resolve) => {
    const began = performance.now();
    const env = { ...process.env };
    // Tasks run in a plain Node: this one, because Electron's own treats native code differently.
    env.TENSORDECK_NODE ??= process.execPath;
    // Set by some editors' terminals: it would make Electron behave as a plain Node.
    delete env.ELECTRON_RUN_AS_NODE;
    const child = spawn(electron, [root, ...args], { stdio: ["inherit", "inherit", "pipe"], env });
    let lastErrors = "";
    child.stderr.setEncoding("utf8").on("data", (text) => {
      process.stderr.write(text);
      lastErrors = (lastErrors + text).slice(-2000);
    });
    // A terminal sends Ctrl-C to every process in it; only signals sent to this process alone are forwarded.
    const forward = (signal) => {
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    };
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    for (const signal of signals) process.on(signal, forward);
    child.once("error", (error) => resolve(`Electron cannot be run: ${error.message}.`));
    child.once("close", (code, signal) => {
      for (const name of signals) process.off(name, forward);
      const early = performance.now() - began < EARLY_EXIT_MILLIS;
      if (early && signal === null && code !== 0) {
        const line = lastErrors.trim().split("\n").at(-1) ?? "";
        resolve(`Electron ended with code ${code} before its window opened${line === "" ? "" : `: ${line}`}`);
        return;
      }
      process.exitCode = code ?? 1;
      resolve(undefined);
    });
  });
}

/** Shows the desktop window. Returns why it could not be shown, or undefined if it was. */
async function desktop(args) {
  const reason = noDisplayReason();
  if (reason !== undefined) return reason;
  if (findElectron() === undefined) {
    const failure = await fetchElectron();
    if (failure !== undefined) return failure;
  }
  return openWindow(findElectron(), args);
}

await main(async () => {
  const given = process.argv.slice(2);
  const headless = given.includes("--headless");
  const args = given.filter((arg) => arg !== "--headless");
  if (!headless && (args.includes("--help") || args.includes("-h"))) {
    console.log(USAGE);
    return;
  }
  if (!cannotBuild()) await buildAll();
  else if (!existsSync(headlessMain)) {
    throw new BuildError("Tensordeck is not built, and its build tools are not installed.", "Run: npm ci");
  }
  if (!headless) {
    const reason = await desktop(args);
    if (reason === undefined) return;
    console.log(
      `${reason} Serving the window to your browser instead; open the address below on this machine.`,
    );
  }
  await serve(args);
});
