import { accessSync, constants, lstatSync, statSync } from "node:fs";
import path from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

export interface ProgramSearch {
  readonly env?: Environment;
  readonly platform?: NodeJS.Platform;
  /** Tells whether there is a file of that path that can be run. */
  readonly isProgram?: (file: string) => boolean;
}

/** Programs that Windows has in its system folder. */
const WINDOWS_PROGRAMS: ReadonlySet<string> = new Set(["ping", "taskkill"]);

/**
 * Kinds of files that Windows starts without a command interpreter. Node refuses to start a .bat or .cmd without one (EINVAL), and with one
 * the arguments would be read as commands: a batch file counts as no program.
 */
const WINDOWS_EXTENSIONS: readonly string[] = [".com", ".exe"];

/**
 * The full path of a program that is installed on this machine; undefined if there is none, or none that may be run.
 *
 * A bare name must never reach Node's `spawn`: Windows looks for it in the current folder first, which may be that of a
 * document from somebody else, and so does every system where PATH has an empty entry or ".". Windows' own programs are
 * taken from the system folder, all others from PATH's absolute folders alone.
 *
 * @param name without folder and extension: "nvidia-smi".
 */
export function findProgram(name: string, search: ProgramSearch = {}): string | undefined {
  const { env = process.env, platform = process.platform } = search;
  const { isProgram = (file) => isProgramFile(file, platform) } = search;
  // A folder in the name would be taken relative to each of PATH's.
  if (name === "" || /[\\/:\0]/.test(name)) {
    return undefined;
  }
  if (platform !== "win32") {
    return pathFolders(env, platform)
      .map((folder) => path.posix.join(folder, name))
      .find(isProgram);
  }
  const folders = WINDOWS_PROGRAMS.has(name) ? [windowsSystemFolder(env)] : pathFolders(env, platform);
  const files = windowsFileNames(name, env);
  return folders.flatMap((folder) => files.map((file) => path.win32.join(folder, file))).find(isProgram);
}

/**
 * The full path of a program that a user names, as a shell reads it: with a separator it is a path, relative to their
 * folder; without, the name of an installed program.
 */
export function namedProgram(given: string, folder = process.cwd()): string | undefined {
  const isPath = path.basename(given) !== given || path.parse(given).root !== "";
  return isPath ? path.resolve(folder, given) : findProgram(given);
}

/**
 * The folders of PATH that are absolute, in its order. An empty entry, ".", and on Windows "\tools" and "C:tools", which
 * depend on the current drive or folder, are left out.
 */
export function pathFolders(
  env: Environment = process.env,
  platform: NodeJS.Platform = process.platform,
): string[] {
  const entries =
    platform === "win32"
      ? // An entry in quotation marks may contain semicolons.
        (variable(env, "PATH")?.match(/(?:[^;"]|"[^"]*"?)+/g) ?? []).map((entry) =>
          entry.replaceAll('"', "").trim(),
        )
      : (env.PATH ?? "").split(":");
  return entries.filter((folder) => isFullPath(folder, platform));
}

/** True for a path that depends neither on the current folder nor, on Windows, on the current drive. */
export function isFullPath(file: string, platform: NodeJS.Platform = process.platform): boolean {
  return platform === "win32" ? /^(?:[a-z]:[\\/]|[\\/]{2}[^\\/])/i.test(file) : file.startsWith("/");
}

/**
 * Windows' system folder, "C:\Windows\System32".
 *
 * SystemRoot comes from whoever started this process, who could as well run another program. It is not followed where it
 * depends on the current folder or drive, or leads to another machine: then Windows' usual folder is taken.
 */
export function windowsSystemFolder(env: Environment = process.env): string {
  const root = [variable(env, "SystemRoot"), variable(env, "windir")].find(
    (folder) => folder !== undefined && isLocalFolder(folder),
  );
  return path.win32.join(root ?? "C:\\Windows", "System32");
}

function isLocalFolder(folder: string): boolean {
  return /^[a-z]:\\[^/:*?"<>|]*$/i.test(folder) && path.win32.normalize(folder) === folder;
}

/** A variable as Windows reads it: in any case. `process.env` does so by itself, its copies do not. */
function variable(env: Environment, name: string): string | undefined {
  const key = Object.keys(env).find((other) => other.toLowerCase() === name.toLowerCase());
  return key === undefined ? undefined : env[key];
}

/** The names under which Windows looks for a program, in the order of PATHEXT. */
function windowsFileNames(name: string, env: Environment): string[] {
  if (WINDOWS_EXTENSIONS.includes(path.win32.extname(name).toLowerCase())) {
    return [name];
  }
  const wanted = (variable(env, "PATHEXT") ?? "").toLowerCase().split(";");
  const extensions = wanted.filter((extension) => WINDOWS_EXTENSIONS.includes(extension));
  return (extensions.length > 0 ? extensions : WINDOWS_EXTENSIONS).map((extension) => name + extension);
}

function isProgramFile(file: string, platform: NodeJS.Platform): boolean {
  try {
    if (platform === "win32") {
      // Python from Microsoft's store is a link of a kind that cannot be followed here, only started.
      const status = lstatSync(file);
      return status.isFile() || status.isSymbolicLink();
    }
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // A folder that this account may not look into is as good as none.
    return false;
  }
}
