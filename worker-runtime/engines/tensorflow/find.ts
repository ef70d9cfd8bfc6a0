import { realpathSync, statSync } from "node:fs";
import path from "node:path";
import { cancelledBy, failedPrecondition, notFound } from "../../protocol/status.js";
import { packageRoot } from "../package-root.js";
import type { LocatedRuntime, RejectedRuntime, RuntimeCandidate } from "./candidate.js";
import { libraryAdvice } from "./installable.js";
import {
  installedLibraries,
  type LibraryCandidate,
  npmLibraries,
  pythonLibraries,
  systemLibraries,
} from "./library-candidates.js";
import { libraryFileProblem } from "./library-file.js";
import { isPlatformKnown, libraryFiles, mainLibraryIn } from "./library-names.js";
import { probeRuntime } from "./probe.js";

export interface FindOptions {
  /** A library or a folder that has one. Then nothing else is searched; TENSORDECK_LIBTENSORFLOW does the same. */
  readonly path?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

export interface FoundRuntimes {
  /** Usable libraries, the best first. */
  readonly found: readonly RuntimeCandidate[];
  readonly rejected: readonly RejectedRuntime[];
}

/** Every libtensorflow that can host a worker here, best first: see `searchRuntimes`. */
export async function findRuntimes(options: FindOptions = {}): Promise<RuntimeCandidate[]> {
  return [...(await searchRuntimes(options)).found];
}

/**
 * Searches all locations and tries each library in a separate process (with cached results). The order of preference:
 * the path that was given, what Tensordeck installed, tfjs-node-gpu and tfjs-node, the tensorflow of a Python, the
 * system's.
 *
 * @throws TensorFlowError CANCELLED when the signal is aborted.
 */
export async function searchRuntimes(options: FindOptions = {}): Promise<FoundRuntimes> {
  const found: RuntimeCandidate[] = [];
  const rejected: RejectedRuntime[] = [];
  for await (const located of locate(options)) {
    if ("reason" in located) {
      rejected.push(located);
      continue;
    }
    const probed = await probeRuntime(located, options);
    if ("reason" in probed) {
      rejected.push(probed);
    } else {
      found.push(probed);
    }
  }
  return { found, rejected };
}

/**
 * The library that a worker should load, without trying it first: errors are reported when it is loaded. Stops at the
 * first that looks right, so that a worker with an installed runtime starts no Python.
 *
 * @throws TensorFlowError FAILED_PRECONDITION when a given path has no suitable library, NOT_FOUND when there is none
 *   at all, with the searched locations and how to get one.
 */
export async function locateRuntime(options: FindOptions = {}): Promise<LocatedRuntime> {
  const rejected: RejectedRuntime[] = [];
  for await (const located of locate(options)) {
    if (!("reason" in located)) {
      return located;
    }
    rejected.push(located);
  }
  throw noRuntimeError(rejected);
}

/** The error for a machine without a usable library; the rejected ones are named with their reasons. */
export function noRuntimeError(rejected: readonly RejectedRuntime[]): Error {
  const explicit = rejected.find(({ source }) => source === "explicit");
  if (explicit !== undefined) {
    return failedPrecondition(`${explicit.reason} It was ${explicit.origin}.`);
  }
  const reasons = rejected.map(({ reason }) => ` ${reason}`).join("");
  return notFound(
    "No usable libtensorflow was found: Tensordeck installed none, no tfjs-node, no Python has the tensorflow package, " +
      `and the system has none.${reasons} ${libraryAdvice()}`,
  );
}

async function* locate({
  path: given,
  env = process.env,
  signal,
}: FindOptions): AsyncGenerator<LocatedRuntime | RejectedRuntime> {
  const explicit = given ?? env.TENSORDECK_LIBTENSORFLOW;
  if (explicit !== undefined && explicit !== "") {
    yield await judge(explicitLibrary(explicit, given === undefined));
    return;
  }
  const seen = new Set<string>();
  const groups: readonly (() => readonly LibraryCandidate[] | Promise<readonly LibraryCandidate[]>)[] = [
    () => installedLibraries(env),
    () => npmLibraries(packageRoot()),
    () => pythonLibraries(env, signal),
    () => systemLibraries(env, process.platform, signal),
  ];
  for (const group of groups) {
    for (const candidate of await group()) {
      if (signal?.aborted) {
        throw cancelledBy(signal.reason, "The search for a libtensorflow");
      }
      // The same file is often reached through several paths.
      const real = realpath(candidate.library);
      if (!seen.has(real)) {
        seen.add(real);
        yield await judge(candidate);
      }
    }
  }
}

function explicitLibrary(given: string, fromEnvironment: boolean): LibraryCandidate {
  const absolute = path.resolve(given);
  const origin = fromEnvironment ? "named by TENSORDECK_LIBTENSORFLOW" : "named by the user";
  const isFolder = statSync(absolute, { throwIfNoEntry: false })?.isDirectory() === true;
  return {
    source: "explicit",
    origin,
    library: isFolder ? (mainLibraryIn(absolute) ?? absolute) : absolute,
  };
}

/** Inspects the files without loading them; unusable ones are rejected with the reason. */
async function judge({
  library,
  source,
  origin,
}: LibraryCandidate): Promise<LocatedRuntime | RejectedRuntime> {
  const rejected = (reason: string): RejectedRuntime => ({ path: library, source, origin, reason });
  if (!isPlatformKnown()) {
    return rejected(`There is no libtensorflow for ${process.platform}.`);
  }
  const status = statSync(library, { throwIfNoEntry: false });
  if (status === undefined) {
    return rejected(`${library} does not exist.`);
  }
  if (status.isDirectory()) {
    return rejected(`${library} is a folder without a libtensorflow in it.`);
  }
  const files = libraryFiles(library);
  for (const file of [files.path, ...files.preload]) {
    const problem = await libraryFileProblem(file);
    if (problem !== undefined) {
      return rejected(problem);
    }
  }
  return { ...files, source, origin };
}

function realpath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
