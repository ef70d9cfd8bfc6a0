/** Virtual environments of scripts: made once for each set of requirements and Python, and kept. */
import { existsSync } from "node:fs";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { delay } from "../../../worker-runtime/cancellation/delay.js";
import { processExists } from "../../../worker-runtime/engines/process-exists.js";
import type { PythonAnswer } from "../../../worker-runtime/engines/tensorflow/find-python.js";
import { DISK_FULL, PYTHON_OUTPUT } from "../../../worker-runtime/engines/tensorflow/python-output.js";
import { findProgram } from "../../../worker-runtime/programs/find-program.js";
import { runProgram } from "../../../worker-runtime/programs/run-program.js";
import { errnoOf, problem } from "../../shared/problems.js";
import { makePrivateFolder } from "../../storage/private-files.js";
import { ProcessGroup } from "../process-group.js";
import { environmentPython, HOW_TO_CHOOSE_PYTHON } from "./find-script-python.js";
import { environmentKey, keyOf, type Requirements, type RequirementsDigest } from "./requirements.js";

/** Written last: an environment without it is the rest of an interrupted installation. */
const COMPLETE = "tensordeck-complete";
const POLL_MILLIS = 500;
/** A process writes its ID into a lock at once; one that has not done so after this time has ended. */
const UNWRITTEN_MILLIS = 10_000;
const UV_DEADLINE_MILLIS = 5_000;
const KEPT_LINES = 200;

export interface EnvironmentOptions {
  /** Folder of all environments. */
  readonly within: string;
  readonly requirements: Requirements;
  /** The Python that it is made from. */
  readonly python: Pick<PythonAnswer, "executable" | "version">;
  /** Receives the progress, line by line. */
  readonly onProgress: (text: string) => void;
  readonly signal: AbortSignal;
  /** Full path of uv, undefined where it is not to be used; looked for unless given. */
  readonly uv?: string | undefined;
}

/** The Python of the environment for some requirements; undefined if it was not made yet. */
export function madeEnvironment(
  within: string,
  requirements: RequirementsDigest,
  python: EnvironmentOptions["python"],
): string | undefined {
  const folder = join(within, keyOf(requirements, python.executable, python.version.join(".")));
  return existsSync(join(folder, COMPLETE)) ? environmentPython(folder) : undefined;
}

/** @throws ProblemError FAILED_PRECONDITION if requirements of this kind cannot be installed on this machine. */
export async function checkInstaller(kind: Requirements["kind"], signal: AbortSignal): Promise<void> {
  installSteps("", { file: "", kind }, "", await findUv(signal));
}

interface Step {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * The Python of the environment that has the requirements; made if it does not exist yet.
 *
 * @throws ProblemError FAILED_PRECONDITION with the installer's last lines, CANCELLED by the signal.
 */
export async function environmentFor(options: EnvironmentOptions): Promise<string> {
  const { within, requirements, python, onProgress, signal } = options;
  const key = await environmentKey(requirements, python.executable, python.version.join("."));
  const folder = join(within, key);
  const complete = join(folder, COMPLETE);
  if (existsSync(complete)) return environmentPython(folder);
  await makePrivateFolder(within);
  const release = await takeLock(`${folder}.lock`, onProgress, signal);
  try {
    // Another process may have made it meanwhile.
    if (existsSync(complete)) return environmentPython(folder);
    await rm(folder, { recursive: true, force: true });
    onProgress(
      `making an environment for ${basename(requirements.file)} with Python ${python.version.join(".")}`,
    );
    const uv = "uv" in options ? options.uv : await findUv(signal);
    const steps = installSteps(folder, requirements, python.executable, uv);
    try {
      for (const step of steps) await runStep(step, options);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    await writeFile(complete, "");
    onProgress("the environment is ready");
    return environmentPython(folder);
  } finally {
    await release();
  }
}

/** @throws ProblemError FAILED_PRECONDITION for a lock file of uv without uv. */
export function installSteps(
  folder: string,
  { file, kind }: Requirements,
  python: string,
  uv: string | undefined,
): Step[] {
  const inside = environmentPython(folder);
  if (kind === "uv-lock") {
    if (uv === undefined) {
      throw problem(
        "FAILED_PRECONDITION",
        "uv.lock can be installed only by uv, which is not on this machine.",
        {
          remedy:
            "Install uv, or list the packages in a requirements.txt (uv export > requirements.txt) and move uv.lock away or, on the command line, name the list with --requirements.",
        },
      );
    }
    const command = [uv, "sync", "--frozen", "--no-install-project", "--no-dev", "--python", python];
    return [{ command, env: { UV_PROJECT_ENVIRONMENT: folder, UV_NO_PROGRESS: "1" } }];
  }
  if (uv !== undefined) {
    return [
      { command: [uv, "venv", "--python", python, folder] },
      { command: [uv, "pip", "install", "--no-progress", "--python", inside, "-r", file] },
    ];
  }
  const pip = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--progress-bar", "off"];
  return [{ command: [python, "-m", "venv", folder] }, { command: [inside, ...pip, "-r", file] }];
}

/** The full path of a uv that works. */
async function findUv(signal: AbortSignal): Promise<string | undefined> {
  const uv = findProgram("uv");
  if (uv === undefined) return undefined;
  const { error } = await runProgram(uv, ["--version"], { timeoutMillis: UV_DEADLINE_MILLIS, signal });
  return error === undefined ? uv : undefined;
}

async function runStep(
  { command, env }: Step,
  { requirements, onProgress, signal }: EnvironmentOptions,
): Promise<void> {
  signal.throwIfAborted();
  const lines: string[] = [];
  const group = new ProcessGroup(
    { command, cwd: dirname(requirements.file), env: { ...process.env, ...PYTHON_OUTPUT, ...env } },
    {
      onLine: (text) => {
        lines.push(text);
        if (lines.length > KEPT_LINES) lines.shift();
        onProgress(text);
      },
    },
  );
  const end = () => group.end();
  signal.addEventListener("abort", end, { once: true });
  const { code } = await group.exited;
  signal.removeEventListener("abort", end);
  if (signal.aborted) throw problem("CANCELLED", "The installation of the packages was stopped.");
  if (code !== 0) throw installProblem(basename(requirements.file), lines, group.startError?.message);
}

function installProblem(file: string, lines: readonly string[], why: string | undefined) {
  const errors = lines.filter((line) => /^\s*(?:ERROR|error|×)[: ]/.test(line));
  const text = lines.join("\n");
  return problem("FAILED_PRECONDITION", `The packages of ${file} could not be installed.`, {
    reason: why ?? errors.at(-1) ?? lines.at(-1),
    remedy: remedyFor(text, file),
    details: lines.slice(-20).join("\n") || undefined,
  });
}

function remedyFor(text: string, file: string): string {
  if (/ensurepip is not available|No module named (?:venv|pip|ensurepip)/.test(text)) {
    return "Install Python's venv package (on Debian and Ubuntu: apt install python3-venv), or uv.";
  }
  if (DISK_FULL.test(text)) return "Free some disk space.";
  if (/Temporary failure in name resolution|Connection refused|NewConnectionError|dns error/.test(text)) {
    return `The package index cannot be reached from there: check the network, or choose a Python that has the packages (${HOW_TO_CHOOSE_PYTHON}).`;
  }
  return `Correct ${file}: the versions must exist for this Python and system.`;
}

/** The locks that this process holds or is about to take. */
const held = new Set<string>();

/** Takes a lock that a living process holds no more; returns what releases it. */
async function takeLock(
  file: string,
  onProgress: (text: string) => void,
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  let told = false;
  for (;;) {
    signal.throwIfAborted();
    if (await tryLock(file)) {
      return async () => {
        await rm(file, { force: true });
        held.delete(file);
      };
    }
    if (await isAbandoned(file)) await rm(file, { force: true });
    else {
      if (!told) onProgress("another job makes this environment; waiting for it");
      told = true;
      await delay(POLL_MILLIS, signal);
    }
  }
}

async function tryLock(file: string): Promise<boolean> {
  if (held.has(file)) return false;
  held.add(file);
  try {
    await writeFile(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    held.delete(file);
    if (errnoOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Whether the process that has taken a lock has ended without releasing it. */
async function isAbandoned(file: string): Promise<boolean> {
  if (held.has(file)) return false;
  const owner = Number(await readFile(file, "utf8").catch(() => ""));
  // An earlier process had this ID, too: in a container every start may have the same.
  if (owner === process.pid) return !held.has(file);
  if (owner !== 0) return !processExists(owner);
  const writtenAt = (await stat(file).catch(() => undefined))?.mtimeMs ?? Number.POSITIVE_INFINITY;
  return Date.now() - writtenAt > UNWRITTEN_MILLIS;
}
