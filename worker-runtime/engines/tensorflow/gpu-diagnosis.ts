import type { LogLine } from "../log-lines.js";

// Since 2.4: "Created device /job:…/device:GPU:0 with 78000 MB memory:  -> device: 0, name: NVIDIA H200, pci bus id: …,
// compute capability: 9.0"; before: "Created TensorFlow device (…) -> physical GPU (device: 0, name: …, …)".
const createdDevice =
  /^Created (?:TensorFlow )?device .*-> .*device: \d+, name: ([^,]+),.*compute capability: ([\d.]+)/;

export type GpuProblemKind =
  | "cpu-build"
  | "hidden"
  | "no-driver"
  | "driver-too-old"
  | "missing-library"
  | "library-version"
  | "compute-capability";

/** Why a GPU is not used. */
export interface GpuProblem {
  readonly kind: GpuProblemKind;
  /** The event and its cause, as a sentence. */
  readonly what: string;
  /** The remedy, as a sentence. */
  readonly todo: string;
}

export interface GpuDiagnosis {
  /** GPUs for which TensorFlow created devices: "NVIDIA H200, compute capability 9.0". */
  readonly devices: readonly string[];
  /** Empty if there is no obstacle; the likeliest cause first. */
  readonly problems: readonly GpuProblem[];
}

export interface GpuFacts {
  /** Whether the library was built for GPUs; undefined when it is not known. */
  readonly gpuBuild: boolean | undefined;
  /** Whether the system reports an NVIDIA GPU; undefined when it is not known. */
  readonly hasGpu: boolean | undefined;
  /** The task is configured to use none (parameter servers, --gpu none). */
  readonly hidden: boolean;
}

/**
 * Diagnoses GPUs from a worker's log. The texts are those of TensorFlow 2.4 to 2.21 (dso_loader.cc, cudart_stub.cc,
 * cuda_driver.cc, cuda_executor.cc, cuda_diagnostics.cc, gpu_device.cc, cuda_dnn.cc).
 */
export function diagnoseGpu(lines: Iterable<LogLine>, facts: GpuFacts): GpuDiagnosis {
  const devices: string[] = [];
  const problems = new Map<string, GpuProblem>();
  const note = (problem: GpuProblem) => {
    if (!problems.has(problem.what)) {
      problems.set(problem.what, problem);
    }
  };
  let unnamedLibrary = false;
  for (const { text } of lines) {
    const device = createdDevice.exec(text);
    if (device !== null) {
      devices.push(`${device[1]}, compute capability ${device[2]}`);
      continue;
    }
    for (const read of readers) {
      const problem = read(text);
      if (problem !== undefined) {
        note(problem);
        break;
      }
    }
    unnamedLibrary ||= text.startsWith("Cannot dlopen some GPU libraries");
  }
  if (unnamedLibrary && ![...problems.values()].some(({ kind }) => kind === "missing-library")) {
    note({
      kind: "missing-library",
      what: "A CUDA or cuDNN library that TensorFlow needs could not be opened; its log does not name it.",
      todo: `${installAdvice} Starting the worker with TF_CPP_VMODULE=dso_loader=1 makes TensorFlow name it.`,
    });
  }
  if (facts.hidden) {
    return { devices, problems: [hidden] };
  }
  if (facts.gpuBuild === false) {
    return { devices, problems: facts.hasGpu === true ? [cpuBuild] : [] };
  }
  if (devices.length > 0 && [...problems.values()].every(({ kind }) => kind === "compute-capability")) {
    return { devices, problems: [...problems.values()] };
  }
  return { devices, problems: [...problems.values()].sort((a, b) => rank(a.kind) - rank(b.kind)) };
}

const order: readonly GpuProblemKind[] = [
  "no-driver",
  "driver-too-old",
  "missing-library",
  "library-version",
  "compute-capability",
];
const rank = (kind: GpuProblemKind) => order.indexOf(kind);

const installAdvice =
  "Install the runtime with the CUDA libraries: `tensordeck runtime install` brings matching ones.";

const hidden: GpuProblem = {
  kind: "hidden",
  what: "This task was started without GPUs, as parameter servers are.",
  todo: "Start it with --gpu and the number of a GPU if it is to use one.",
};
const cpuBuild: GpuProblem = {
  kind: "cpu-build",
  what: "This libtensorflow was built without CUDA, so it uses the processor only.",
  todo: installAdvice,
};
const noDriver: GpuProblem = {
  kind: "no-driver",
  what: "TensorFlow found no NVIDIA driver that it could load.",
  todo: "Install NVIDIA's driver for this system and restart it; `nvidia-smi` must list the GPU. In a container, pass the GPU on (docker run --gpus all).",
};

type Reader = (text: string) => GpuProblem | undefined;

const readers: readonly Reader[] = [readMissingLibrary, readDriver, readVersion, readCapability];

function readMissingLibrary(text: string): GpuProblem | undefined {
  const match = /^Could not load dynamic library '([^']+)'; dlerror: (.*?)(?:; LD_LIBRARY_PATH: .*)?$/.exec(
    text,
  );
  if (match === null) {
    return undefined;
  }
  const [, library = "", dlerror = ""] = match;
  if (/^(libcuda\.so|nvcuda\.dll)/.test(library)) {
    return noDriver;
  }
  if (/nvinfer/.test(library)) {
    // TensorRT is optional and rarely installed, and TensorFlow logs its absence at every start.
    return undefined;
  }
  // The library itself may exist and depend on another one: dlerror begins with the missing one.
  const wanted =
    /^([^\s:]+): cannot open shared object file/.exec(dlerror)?.[1] ??
    /^([^\s:]+) not found$/.exec(dlerror)?.[1];
  const missing = wanted ?? library;
  const through = missing === library ? "" : ` (which ${library} needs)`;
  return {
    kind: "missing-library",
    what: `${describeLibrary(missing)}${through} could not be opened: ${dlerror}.`,
    todo: installAdvice,
  };
}

const libraryNames: ReadonlyArray<readonly [RegExp, string]> = [
  [/cudart/, "The CUDA runtime"],
  [/cublas/, "cuBLAS of CUDA"],
  [/cufft/, "cuFFT of CUDA"],
  [/curand/, "cuRAND of CUDA"],
  [/cusolver/, "cuSOLVER of CUDA"],
  [/cusparse/, "cuSPARSE of CUDA"],
  [/cudnn/, "cuDNN"],
  [/cupti/, "CUPTI of CUDA"],
  [/nccl/, "NCCL"],
  [/nvjitlink/i, "nvJitLink of CUDA"],
  [/nvrtc/, "NVRTC of CUDA"],
];

/** "cuDNN version 9 (libcudnn.so.9)", "The CUDA runtime version 11.0 (cudart64_110.dll)". */
function describeLibrary(file: string): string {
  const name = libraryNames.find(([pattern]) => pattern.test(file))?.[1];
  const unix = /\.so\.([\d.]+)$/.exec(file)?.[1];
  const windows = /_(\d+)\.dll$/.exec(file)?.[1];
  const dotted =
    windows !== undefined && windows.length === 3 ? `${windows.slice(0, 2)}.${windows.slice(2)}` : windows;
  const version = unix ?? dotted;
  if (name === undefined) {
    return file;
  }
  return version === undefined ? `${name} (${file})` : `${name} version ${version} (${file})`;
}

function readDriver(text: string): GpuProblem | undefined {
  if (
    text.startsWith("Could not find cuda drivers on your machine") ||
    text.startsWith("kernel driver does not appear to be running on this host") ||
    /failed call to cuInit: .*(CUDA_ERROR_NO_DEVICE|no CUDA-capable device|\(303\))/.test(text)
  ) {
    return noDriver;
  }
  const failure = /failed call to cuInit: (.*)$/.exec(text);
  if (failure !== null) {
    return {
      kind: "no-driver",
      what: `NVIDIA's driver does not start: ${failure[1]}.`,
      todo: "Restart the machine, and reinstall NVIDIA's driver if `nvidia-smi` fails as well.",
    };
  }
  if (
    /CUDA driver version is insufficient for CUDA runtime version|CUDA_ERROR_SYSTEM_DRIVER_MISMATCH/.test(
      text,
    )
  ) {
    return {
      kind: "driver-too-old",
      what: "NVIDIA's driver is too old for the CUDA libraries.",
      todo: "Install a newer NVIDIA driver and restart the machine.",
    };
  }
  const mismatch =
    /kernel version (\S+) does not match DSO version (\S+) -- cannot find working devices/.exec(text);
  if (mismatch !== null) {
    return {
      kind: "no-driver",
      what: `The running NVIDIA driver (${mismatch[1]}) and its libraries (${mismatch[2]}) are of different versions.`,
      todo: "Restart the machine: the driver was updated while it was running.",
    };
  }
  return undefined;
}

function readVersion(text: string): GpuProblem | undefined {
  const match = /^Loaded runtime CuDNN library: (\S+) but source was compiled with: ([\d.]+\d)/.exec(text);
  return match === null
    ? undefined
    : {
        kind: "library-version",
        what: `cuDNN ${match[1]} was loaded, and this TensorFlow needs ${match[2]} or a newer one of the same major version.`,
        todo: installAdvice,
      };
}

function readCapability(text: string): GpuProblem | undefined {
  const ignored =
    /^Ignoring visible gpu device \(device: \d+, name: ([^,]+),.*with Cuda compute capability ([\d.]+)\. The minimum required Cuda capability is ([\d.]+)\.$/i.exec(
      text,
    );
  if (ignored === null) {
    return undefined;
  }
  const [, name = "", has = "", needs = ""] = ignored;
  return {
    kind: "compute-capability",
    what: `${name} has compute capability ${has}, and this TensorFlow needs at least ${needs}.`,
    todo: "Use an older TensorFlow that still supports this GPU, or another GPU.",
  };
}
