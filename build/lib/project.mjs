// Shared by the build scripts: paths, and running child processes.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository's root folder. */
export const root = resolve(dirname(fileURLToPath(import.meta.url)), "..", "..");
/** The folder of all build output. */
export const outDir = join(root, "build", "out");

const require = createRequire(join(root, "package.json"));

/** The installed folder of a package, or undefined if it is not installed. */
export function packageDir(name) {
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

/**
 * Runs one of the project's tools and resolves with its exit code (128 + the signal's number when a signal ended it).
 * Its output is forwarded to ours.
 *
 * @param {string} command the full path of a program: see `programPath` of programs.mjs
 */
export function run(command, args, options = {}) {
  if (!isAbsolute(command)) throw new Error(`${command} is not the full path of a program.`);
  return new Promise((resolveCode, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"], ...options });
    child.once("error", reject);
    child.once("close", (code, signal) => resolveCode(code ?? (signal === "SIGINT" ? 130 : 143)));
  });
}

/** Runs a script of an installed package with the Node that runs us. */
export function runTool(packageName, script, args, options) {
  const folder = packageDir(packageName);
  if (folder === undefined) {
    throw new BuildError(
      `${packageName} is not installed.`,
      "It is one of the tools that build Tensordeck. Run: npm ci",
    );
  }
  return run(process.execPath, [join(folder, script), ...args], options);
}

/** A failure whose message is complete for the user: what happened, and what to do. */
export class BuildError extends Error {
  constructor(what, remedy) {
    super(remedy === undefined ? what : `${what} ${remedy}`);
    this.name = "BuildError";
  }
}

/** Runs a script's main function; a failure ends the process with exit code 1 and one readable message. */
export async function main(action) {
  try {
    await action();
  } catch (error) {
    if (error instanceof BuildError) console.error(error.message);
    else console.error(error);
    process.exitCode = 1;
  }
}
