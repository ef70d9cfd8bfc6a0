import { copyFile, mkdir, mkdtemp, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { cancelledBy, failedPrecondition, internalError } from "../../protocol/status.js";
import type { RuntimeCandidate } from "./candidate.js";
import { runtimesFolder } from "./data-folder.js";
import { searchRuntimes } from "./find.js";
import { checkSpace, type InstallOptions, type InstallPlan, planInstall } from "./install-plan.js";
import { mainLibraryIn } from "./library-names.js";
import { downloadWheels, type PythonRun, unpackWheels } from "./pip.js";

export { formatBytes, type InstallOffer, type InstallOptions, installOffer } from "./install-plan.js";

export interface InstallProgress {
  readonly phase: "checking" | "downloading" | "unpacking" | "verifying";
  readonly doneBytes: number;
  /** 0 while it is not known. */
  readonly totalBytes: number;
}

export interface InstallRuntimeOptions extends InstallOptions {
  readonly onProgress?: (progress: InstallProgress) => void;
  /** The plan to carry out, if already made. */
  readonly plan?: InstallPlan;
}

/**
 * Installs TensorFlow's libraries into the user's data folder. Everything is created in a temporary folder next to it
 * and moved into place once a process could load it, so that the installation is complete or absent, even after a
 * crash.
 *
 * @throws TensorFlowError NOT_FOUND (no Python, no pip, not in the index), RESOURCE_EXHAUSTED (disk), UNAVAILABLE
 *   (connection), DATA_LOSS (damaged download), FAILED_PRECONDITION (the library does not load here), UNIMPLEMENTED (no
 *   wheel for this machine), CANCELLED.
 */
export async function installRuntime(options: InstallRuntimeOptions = {}): Promise<RuntimeCandidate> {
  const { env = process.env, signal, onProgress = () => undefined } = options;
  onProgress({ phase: "checking", doneBytes: 0, totalBytes: 0 });
  const plan = options.plan ?? (await planInstall(options));
  if ("problem" in plan) {
    throw plan.problem;
  }
  checkSpace(plan);
  const parent = runtimesFolder(env);
  await mkdir(parent, { recursive: true });
  await removeLeftovers(parent);
  const scratch = await mkdtemp(path.join(parent, SCRATCH_PREFIX));
  try {
    const python: PythonRun = {
      executable: plan.python.executable,
      env,
      ...(signal === undefined ? {} : { signal }),
    };
    const { bundle, downloadBytes, installedBytes } = plan;
    const wheels = await downloadWheels(bundle, scratch, python, (bytes) =>
      onProgress({
        phase: "downloading",
        doneBytes: Math.min(bytes, downloadBytes),
        totalBytes: downloadBytes,
      }),
    );
    const fresh = path.join(scratch, "runtime");
    await unpackWheels(wheels, bundle.keep, fresh, python, (bytes) =>
      onProgress({
        phase: "unpacking",
        doneBytes: Math.min(bytes, installedBytes),
        totalBytes: installedBytes,
      }),
    );
    await addPythonLibrary(fresh, plan);
    onProgress({ phase: "verifying", doneBytes: 0, totalBytes: 0 });
    await verified(fresh, options);
    if (signal?.aborted) {
      throw cancelledBy(signal.reason, "The installation");
    }
    await moveIntoPlace(fresh, plan.folder, scratch);
    return {
      ...(await verified(plan.folder, options)),
      source: "installed",
      origin: "installed by Tensordeck",
    };
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 3 });
  }
}

const SCRATCH_PREFIX = ".installing-";
const LEFTOVER_MILLIS = 24 * 3_600_000;

/** Leftovers of a killed installation; a more recent one may still be running. */
async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const folder = path.join(parent, name);
    if (name.startsWith(SCRATCH_PREFIX) && Date.now() - (await stat(folder)).mtimeMs > LEFTOVER_MILLIS) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** On Windows the library is linked against python3xx.dll, which is loaded from the same folder. */
async function addPythonLibrary(folder: string, { python, bundle }: InstallPlan): Promise<void> {
  const library = mainLibraryIn(folder);
  if (process.platform !== "win32" || library === undefined) {
    return;
  }
  const name = `python${bundle.pythonVersion.replace(".", "")}.dll`;
  try {
    await copyFile(path.join(python.base, name), path.join(path.dirname(library), name));
  } catch (cause) {
    throw failedPrecondition(
      `TensorFlow's library needs ${name}, which is not in ${python.base}. Install Python ${bundle.pythonVersion} from python.org.`,
      { cause },
    );
  }
}

async function verified(folder: string, { env, signal }: InstallOptions): Promise<RuntimeCandidate> {
  const { found, rejected } = await searchRuntimes({
    path: folder,
    ...(env === undefined ? {} : { env }),
    ...(signal === undefined ? {} : { signal }),
  });
  const [runtime] = found;
  if (runtime === undefined) {
    throw failedPrecondition(
      `The installed library does not work here: ${rejected[0]?.reason ?? "it contained no library."}`,
    );
  }
  return runtime;
}

/** The new installation replaces the old one in two steps; running workers keep the files that they have open. */
async function moveIntoPlace(fresh: string, folder: string, scratch: string): Promise<void> {
  const old = path.join(scratch, "old");
  const replaced = await rename(folder, old).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") {
        return false;
      }
      throw failedPrecondition(
        `The runtime in ${folder} cannot be replaced (${error.code ?? error.message}). Stop the workers that use it and try again.`,
        { cause: error },
      );
    },
  );
  try {
    await rename(fresh, folder);
  } catch (error) {
    if (replaced) {
      await rename(old, folder);
    }
    throw internalError(`The runtime could not be moved to ${folder}: ${String(error)}`, { cause: error });
  }
}
