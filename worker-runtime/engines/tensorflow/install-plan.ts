import { existsSync } from "node:fs";
import { statfs } from "node:fs/promises";
import path from "node:path";
import {
  failedPrecondition,
  notFound,
  resourceExhausted,
  type TensorFlowError,
} from "../../protocol/status.js";
import { nvidiaGpus } from "../nvidia.js";
import { runtimesFolder } from "./data-folder.js";
import { findPythons, type PythonAnswer } from "./find-python.js";
import { systemProblem } from "./installable.js";
import { bundleFor, bundleSize, type RuntimeBundle, windowsPythons } from "./wheels.js";

export interface InstallOptions {
  /** With or without CUDA's libraries; by default depending on whether the machine has an NVIDIA GPU with a driver. */
  readonly gpu?: boolean | undefined;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/** The plan of an installation. */
export interface InstallPlan {
  readonly bundle: RuntimeBundle;
  readonly python: PythonAnswer;
  /** Its future location. */
  readonly folder: string;
  readonly downloadBytes: number;
  readonly installedBytes: number;
  /** Free space at its future location. */
  readonly freeBytes: number;
  /** A notice before installation, as a sentence. */
  readonly note?: string;
}

export interface InstallOffer {
  readonly version: string;
  readonly downloadBytes: number;
  readonly installedBytes: number;
  readonly freeBytes: number;
  readonly gpu: boolean;
  readonly note?: string;
}

/** The versions that can be installed here, or why none can: rejects only for a cancelled signal. */
export async function installOffer(
  options: InstallOptions = {},
): Promise<InstallOffer | { readonly problem: TensorFlowError }> {
  const plan = await planInstall(options);
  if ("problem" in plan) {
    return plan;
  }
  const { bundle, downloadBytes, installedBytes, freeBytes, note } = plan;
  return {
    version: bundle.version,
    gpu: bundle.gpu,
    downloadBytes,
    installedBytes,
    freeBytes,
    ...(note === undefined ? {} : { note }),
  };
}

export async function planInstall(
  options: InstallOptions,
): Promise<InstallPlan | { readonly problem: TensorFlowError }> {
  const { env = process.env, signal } = options;
  const unsupported = systemProblem();
  if (unsupported !== undefined) {
    return { problem: unsupported };
  }
  const pythons = await findPythons(env, signal);
  signal?.throwIfAborted();
  const python = pythons.find(({ pip }) => pip);
  if (python === undefined) {
    return { problem: pythonProblem(pythons) };
  }
  const gpus = await nvidiaGpus(signal);
  const bundle = bundleFor({
    platform: process.platform,
    arch: process.arch,
    gpu: options.gpu ?? gpus.length > 0,
    python: python.version.join("."),
  });
  if (bundle === undefined) {
    return {
      problem: failedPrecondition(
        `On Windows TensorFlow's library needs the DLL of a Python ${windowsPythons.join(", ")}; ` +
          `${python.executable} is ${python.version.join(".")}. Install one of these from python.org.`,
      ),
    };
  }
  const size = bundleSize(bundle);
  const folder = path.join(runtimesFolder(env), bundle.id);
  const note = gpuNote(bundle, gpus);
  return {
    bundle,
    python,
    folder,
    downloadBytes: size.download,
    installedBytes: size.installed,
    freeBytes: await freeBytes(folder),
    ...(note === undefined ? {} : { note }),
  };
}

/** Throws RESOURCE_EXHAUSTED when the disk has no room for both the download and the unpacked files. */
export function checkSpace({ downloadBytes, installedBytes, freeBytes, folder }: InstallPlan): void {
  const needed = downloadBytes + installedBytes;
  if (freeBytes < needed) {
    throw resourceExhausted(
      `The installation needs ${formatBytes(needed)} free (${formatBytes(installedBytes)} stay), and the disk of ` +
        `${folder} has ${formatBytes(freeBytes)}. Free some space, or choose another folder with TENSORDECK_DATA_DIR.`,
    );
  }
}

/** "1.3 GB", "274 MB": decimal, as disks and downloads are counted. */
export function formatBytes(bytes: number): string {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`;
}

function pythonProblem(pythons: readonly PythonAnswer[]): TensorFlowError {
  const [without] = pythons;
  if (without !== undefined) {
    return notFound(
      `${without.executable} has no pip, which is needed to install TensorFlow's library. Install it ` +
        `(on Debian and Ubuntu: sudo apt install python3-pip; elsewhere: ${without.executable} -m ensurepip).`,
    );
  }
  const how: Partial<Record<NodeJS.Platform, string>> = {
    win32: "from python.org or the Microsoft Store (Python 3.12)",
    darwin: "with `xcode-select --install` or from python.org",
    linux: "with the package manager (Debian, Ubuntu, Raspberry Pi OS: sudo apt install python3 python3-pip)",
  };
  return notFound(
    `No Python was found, which is needed to install TensorFlow's library: python3 does not run. Install it ${how[process.platform] ?? "from python.org"}, ` +
      "or name a libtensorflow of your own with TENSORDECK_LIBTENSORFLOW.",
  );
}

function gpuNote(bundle: RuntimeBundle, gpus: readonly string[]): string | undefined {
  if (bundle.gpu || gpus.length === 0) {
    return undefined;
  }
  if (process.platform === "win32") {
    return (
      `TensorFlow for Windows has had no CUDA since 2.10, so this runtime does not use the ${gpus[0]}. The ways to the GPU: ` +
      "the tensorflow.dll of npm's @tensorflow/tfjs-node-gpu (TensorFlow 2.9, CUDA 11.2), which is found once it is " +
      "installed; this program inside WSL2; or WebGPU with the portable engine."
    );
  }
  return `This runtime does not use the ${gpus[0]}.`;
}

async function freeBytes(folder: string): Promise<number> {
  let existing = folder;
  while (!existsSync(existing) && path.dirname(existing) !== existing) {
    existing = path.dirname(existing);
  }
  const { bavail, bsize } = await statfs(existing);
  return bavail * bsize;
}
