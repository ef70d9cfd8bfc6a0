// Finds and runs the programs that the build, the tests or their set-up need.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { BuildError, root } from "./project.mjs";

/** Folders for administrators' programs on Linux, which are not on every user's PATH. */
const SYSTEM_FOLDERS = process.platform === "linux" ? ["/usr/local/sbin", "/usr/sbin", "/sbin"] : [];
/** Characters of a program's output that are kept to explain its failure. */
const KEPT_ERRORS = 8000;

/**
 * The folders in which programs are looked for: the absolute ones of PATH, and the system's. Never the current one, as in the
 * program itself (worker-runtime/programs/find-program.ts).
 */
function programFolders() {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => isAbsolute(folder));
  return [...folders, ...SYSTEM_FOLDERS.filter((folder) => !folders.includes(folder))];
}

/** Our environment, with a PATH that contains every program that `findProgram` finds. */
export function systemEnvironment() {
  if (SYSTEM_FOLDERS.length === 0) return process.env;
  return { ...process.env, PATH: programFolders().join(delimiter) };
}

/** A program's file, or undefined if there is none. */
export function findProgram(name) {
  const file = process.platform === "win32" ? `${name}.exe` : name;
  for (const folder of programFolders()) {
    const candidate = join(folder, file);
    if (existsSync(candidate)) return candidate;
  }
  return undefined;
}

/** A program's file. @throws BuildError if there is none */
export function programPath(name) {
  const file = isAbsolute(name) ? name : findProgram(name);
  if (file === undefined)
    throw new BuildError(`${name} is not installed.`, "Install it, and run this again.");
  return file;
}

/**
 * The command that runs npm. On Windows `npm` is a batch file, which only a shell could run: there Node runs npm's script.
 *
 * @returns {[string, ...string[]]} a program and its first arguments
 * @throws BuildError if there is no npm
 */
export function npmCommand() {
  if (process.platform !== "win32") return [programPath("npm")];
  const scripts = programFolders().map((folder) => join(folder, "node_modules", "npm", "bin", "npm-cli.js"));
  const script = scripts.find((file) => existsSync(file));
  if (script === undefined) throw new BuildError("npm is not installed.", "It comes with Node.js.");
  return [process.execPath, script];
}

/**
 * Which of the programs are missing, and the packages to install for them; undefined if none are.
 *
 * @param packages The Debian package that contains it, by program.
 */
export function lackOfPrograms(packages) {
  const missing = Object.keys(packages).filter((name) => findProgram(name) === undefined);
  if (missing.length === 0) return undefined;
  return {
    why: `Not installed: ${missing.join(", ")}.`,
    packages: [...new Set(missing.map((name) => packages[name]))],
  };
}

/** Runs a short program. Returns its output, and whether it succeeded; never throws. */
export function ask(command, args, options = {}) {
  const program = isAbsolute(command) ? command : findProgram(command);
  if (program === undefined) return { ok: false, stdout: "", errors: `${command} is not installed.` };
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 30_000,
    cwd: root,
    ...options,
  });
  const errors = error === undefined ? (stderr ?? "") : error.message;
  return { ok: error === undefined && status === 0, stdout: stdout ?? "", errors };
}

/** Runs a program with its output forwarded to ours; returns its exit code and its last messages. */
export function runShowing(command, args, options = {}) {
  return new Promise((resolve) => {
    let errors = "";
    const child = spawn(programPath(command), args, {
      cwd: root,
      stdio: ["ignore", "inherit", "pipe"],
      ...options,
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      process.stderr.write(text);
      errors = (errors + text).slice(-KEPT_ERRORS);
    });
    child.once("error", (error) => resolve({ code: 1, errors: error.message }));
    child.once("close", (code, signal) => resolve({ code: code ?? 1, signal, errors }));
  });
}
