// Finding programs, and running one that tests or their set-up need.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { root } from "./project.mjs";

/** Where Linux keeps the programs of administrators, which are not on everybody's PATH. */
const SYSTEM_FOLDERS = process.platform === "linux" ? ["/usr/local/sbin", "/usr/sbin", "/sbin"] : [];
/** Characters of a program's messages that are kept to say why it failed. */
const KEPT_ERRORS = 8000;

/** The folders in which programs are looked for: those of PATH, and the system's. */
function programFolders() {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  return [...folders, ...SYSTEM_FOLDERS.filter((folder) => !folders.includes(folder))];
}

/** Our environment, in which the programs that `findProgram` finds are found by their names. */
export function systemEnvironment() {
  if (SYSTEM_FOLDERS.length === 0) return process.env;
  return { ...process.env, PATH: programFolders().join(delimiter) };
}

/** A program's file, or undefined where there is none. */
export function findProgram(name) {
  const file = process.platform === "win32" ? `${name}.exe` : name;
  for (const folder of programFolders()) {
    const candidate = join(folder, file);
    if (existsSync(candidate)) return candidate;
  }
  return undefined;
}

/**
 * Which of some programs are not there, and the packages to install for them; undefined where all are.
 *
 * @param packages The package of Debian that has it, by program.
 */
export function lackOfPrograms(packages) {
  const missing = Object.keys(packages).filter((name) => findProgram(name) === undefined);
  if (missing.length === 0) return undefined;
  return {
    why: `Not installed: ${missing.join(", ")}.`,
    packages: [...new Set(missing.map((name) => packages[name]))],
  };
}

/** Runs a program that answers soon. What it wrote, and whether it succeeded; never throws. */
export function ask(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 30_000,
    ...options,
  });
  const errors = error === undefined ? (stderr ?? "") : error.message;
  return { ok: error === undefined && status === 0, stdout: stdout ?? "", errors };
}

/** Runs a program to its end with its output where ours goes; answers its exit code and its last messages. */
export function runShowing(command, args, options = {}) {
  return new Promise((resolve) => {
    let errors = "";
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "inherit", "pipe"], ...options });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      process.stderr.write(text);
      errors = (errors + text).slice(-KEPT_ERRORS);
    });
    child.once("error", (error) => resolve({ code: 1, errors: error.message }));
    child.once("close", (code, signal) => resolve({ code: code ?? 1, signal, errors }));
  });
}
