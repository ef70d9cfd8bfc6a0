import { existsSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathFolders } from "../../programs/find-program.js";
import { runProgram } from "../../programs/run-program.js";
import type { RuntimeSource } from "./candidate.js";
import { runtimesFolder } from "./data-folder.js";
import { findPythons } from "./find-python.js";
import { mainLibraryIn } from "./library-names.js";

/** A file that may be a libtensorflow. */
export interface LibraryCandidate {
  readonly source: RuntimeSource;
  readonly origin: string;
  /** The main library, which may turn out to be unusable. */
  readonly library: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

const LDCONFIG_DEADLINE_MILLIS = 3_000;

/** The libraries that Tensordeck installed, the newest first. */
export function installedLibraries(env: Environment): LibraryCandidate[] {
  const folder = runtimesFolder(env);
  let names: string[];
  try {
    // A name with a leading dot is an installation in progress.
    names = readdirSync(folder).filter((name) => !name.startsWith("."));
  } catch {
    return [];
  }
  const byAge = names
    .map((name) => path.join(folder, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  return librariesIn(byAge, "installed", () => "installed by Tensordeck");
}

/**
 * The libraries unpacked by @tensorflow/tfjs-node-gpu or tfjs-node, if one of them is installed with the package in the
 * folder: never those of the current folder, which may be that of a document from somebody else.
 */
export function npmLibraries(root: string): LibraryCandidate[] {
  return ["@tensorflow/tfjs-node-gpu", "@tensorflow/tfjs-node"].flatMap((name) => {
    const folder = packageFolder(name, root);
    return folder === undefined
      ? []
      : librariesIn([path.join(folder, "deps")], "npm", () => `unpacked by ${name}`);
  });
}

function packageFolder(name: string, root: string): string | undefined {
  try {
    return path.dirname(createRequire(path.join(root, "package.json")).resolve(`${name}/package.json`));
  } catch {
    return undefined;
  }
}

/** The tensorflow package of every Python that answers; none is imported. */
export async function pythonLibraries(env: Environment, signal?: AbortSignal): Promise<LibraryCandidate[]> {
  const folders = new Map<string, string>();
  for (const { tensorflow, executable } of await findPythons(env, signal)) {
    if (tensorflow !== null && !folders.has(tensorflow)) {
      folders.set(tensorflow, executable);
    }
  }
  return librariesIn(
    [...folders.keys()],
    "python",
    (folder) => `the tensorflow package of ${folders.get(folder) ?? "Python"}`,
  );
}

/** The folders in which systems and package managers put libraries. */
export async function systemLibraries(
  env: Environment,
  platform: NodeJS.Platform,
  signal?: AbortSignal,
): Promise<LibraryCandidate[]> {
  if (platform === "win32") {
    return librariesIn(pathFolders(env, platform), "system", (folder) => `found on PATH in ${folder}`);
  }
  if (platform === "darwin") {
    return librariesIn(["/opt/homebrew/lib", "/usr/local/lib"], "system", (folder) =>
      folder.startsWith("/opt/homebrew") ? "installed by Homebrew" : "installed in /usr/local",
    );
  }
  const known = await ldconfigFolders(signal);
  const folders = new Set([
    ...known,
    "/usr/local/lib",
    "/usr/lib",
    "/usr/lib64",
    "/usr/lib/x86_64-linux-gnu",
  ]);
  return librariesIn([...folders], "system", (folder) => `the system's, in ${folder}`);
}

/** Folders of the linker's cache that contain a libtensorflow. */
async function ldconfigFolders(signal?: AbortSignal): Promise<string[]> {
  const ldconfig = ["/sbin/ldconfig", "/usr/sbin/ldconfig"].find(existsSync) ?? "ldconfig";
  const { error, stdout } = await runProgram(ldconfig, ["-p"], {
    timeoutMillis: LDCONFIG_DEADLINE_MILLIS,
    maxOutputBytes: 16 * 1024 * 1024,
    signal,
  });
  return error === undefined ? foldersOfLdconfig(stdout) : [];
}

/** From lines like "libtensorflow.so.2 (libc6,x86-64) => /usr/local/lib/libtensorflow.so.2". */
export function foldersOfLdconfig(output: string): string[] {
  const folders = [...output.matchAll(/^\s*libtensorflow(?:_cc)?\.so\S*\s.*=>\s*(\S+)$/gm)].map((match) =>
    path.dirname(match[1] ?? ""),
  );
  return [...new Set(folders)];
}

function librariesIn(
  folders: readonly string[],
  source: RuntimeSource,
  origin: (folder: string) => string,
): LibraryCandidate[] {
  return folders.flatMap((folder) => {
    const library = mainLibraryIn(folder);
    return library === undefined ? [] : [{ source, origin: origin(folder), library }];
  });
}
