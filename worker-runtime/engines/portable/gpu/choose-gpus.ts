import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { PARAMETER_SERVER_JOB } from "../../../cluster/job-names.js";
import { leaveOutCurrentFolder } from "../../../programs/load-library.js";
import { failedPrecondition, invalidArgument } from "../../../protocol/status.js";
import { forbidTelemetry } from "../regions/telemetry.js";
import { type Adapter, isUsedUnasked } from "./adapter.js";
import { cudaProblem, hasCudaLibraries } from "./cuda-libraries.js";
import { listAdapters } from "./list-adapters.js";

/** The execution provider through which ONNX Runtime uses an adapter. */
export type GpuProvider =
  | { readonly name: "webgpu" }
  /** @param deviceId the provider's number of the adapter. */
  | { readonly name: "dml"; readonly deviceId: number }
  | { readonly name: "cuda"; readonly deviceId: number };

/** A GPU chosen for a task. */
export interface ChosenGpu {
  readonly adapter: Adapter;
  readonly provider: GpuProvider;
}

export interface GpuWish {
  /** "auto": the best GPU, none for job ps; "none"; or comma-separated numbers, 0 being the best. */
  readonly choice: string;
  readonly jobName: string;
  readonly signal?: AbortSignal;
  /** Writes a log line with the reason if there is none. */
  log(line: string): void;
}

const NVIDIA = 0x10de;

/**
 * The GPUs that a task uses.
 * @throws TensorFlowError INVALID_ARGUMENT for the number of a GPU that does not exist or that no provider supports;
 *   FAILED_PRECONDITION if ONNX Runtime cannot be loaded. With "auto", neither is an error: the task has no GPU and a
 *   line is logged.
 */
export async function chooseGpus({ choice, jobName, signal, log }: GpuWish): Promise<readonly ChosenGpu[]> {
  if (choice === "none" || (choice === "auto" && jobName === PARAMETER_SERVER_JOB)) {
    return [];
  }
  if (choice !== "auto" && !/^\d+(,\d+)*$/.test(choice)) {
    throw invalidArgument(`The portable engine numbers GPUs from 0; it does not know "${choice}".`);
  }
  // The processes that look for GPUs inherit it from this one's environment.
  forbidTelemetry();
  const answer = await listAdapters(signal);
  const numbers = choice === "auto" ? [0] : [...new Set(choice.split(",").map(Number))];
  if ("problem" in answer) {
    if (choice === "auto") {
      log(`No GPU is used: ${answer.problem}`);
      return [];
    }
    throw invalidArgument(`There is no GPU ${choice}: ${answer.problem}`);
  }
  const usable =
    choice === "auto" ? answer.adapters.filter((adapter) => isUsedUnasked(adapter)) : answer.adapters;
  if (choice === "auto" && usable.length === 0) {
    return [];
  }
  let backends: readonly string[];
  try {
    // Loaded only if a GPU is to be used: it takes about thirty megabytes.
    leaveOutCurrentFolder();
    const { listSupportedBackends } = await import("onnxruntime-node");
    backends = await availableBackends(listSupportedBackends(), nativeFolder(), log, signal);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (choice === "auto") {
      log(`No GPU is used: ONNX Runtime cannot be loaded: ${reason}`);
      return [];
    }
    throw failedPrecondition(
      `GPU ${choice} cannot be used: ONNX Runtime cannot be loaded: ${reason}. Reinstall Tensordeck's packages (npm ci), or ` +
        "use --gpu none.",
    );
  }
  return numbers.map((number) => {
    const adapter = usable[number];
    if (adapter === undefined) {
      const known = usable.map(({ name }, index) => `${index} (${name})`).join(", ");
      throw invalidArgument(
        `This machine has no GPU ${number}.${known === "" ? "" : ` Choose from ${known}.`}`,
      );
    }
    const provider = providerOf(number, usable, backends);
    if (provider === undefined) {
      throw invalidArgument(
        `ONNX Runtime cannot use GPU ${number} (${adapter.name}): on ${process.platform} it takes the first one, ` +
          `${usable[0]?.name}. Choose 0.`,
      );
    }
    return { adapter, provider };
  });
}

/**
 * CUDA if its libraries are in the package and can be loaded; else WebGPU, which keeps
 * tensors on the GPU but supports only the best adapter; else DirectML, which has a number for each adapter.
 *
 * @param adapters in WebGPU's order.
 * @param backends the backends that ONNX Runtime's package can use.
 */
export function providerOf(
  number: number,
  adapters: readonly Adapter[],
  backends: readonly string[],
): GpuProvider | undefined {
  const adapter = adapters[number];
  if (adapter?.vendor === NVIDIA && backends.includes("cuda")) {
    const before = adapters.slice(0, number).filter(({ vendor }) => vendor === NVIDIA);
    return { name: "cuda", deviceId: before.length };
  }
  if (number === 0 && backends.includes("webgpu")) {
    return { name: "webgpu" };
  }
  if (adapter !== undefined && backends.includes("dml")) {
    return { name: "dml", deviceId: adapter.number };
  }
  return undefined;
}

/**
 * The backends that can be used: those whose code is in the package, and CUDA if its libraries have been added and can
 * be loaded. If they cannot, a line is logged.
 *
 * @param supported the backends that the package knows; CUDA is never bundled.
 * @param folder that of its native library, in which it looks for those of CUDA.
 */
export async function availableBackends(
  supported: readonly { readonly name: string; readonly bundled: boolean }[],
  folder: string,
  log: GpuWish["log"],
  signal?: AbortSignal,
): Promise<string[]> {
  const bundled = supported.flatMap((backend) => (backend.bundled ? [backend.name] : []));
  if (!supported.some(({ name }) => name === "cuda") || !hasCudaLibraries(folder)) {
    return bundled;
  }
  const problem = await cudaProblem(folder, signal);
  if (problem === undefined) {
    return [...bundled, "cuda"];
  }
  log(`ONNX Runtime's CUDA provider is not used: ${problem}.`);
  return bundled;
}

/** The folder of ONNX Runtime's native library for this system. @throws Error if there is no package. */
function nativeFolder(): string {
  const main = createRequire(import.meta.url).resolve("onnxruntime-node");
  return join(dirname(main), "..", "bin", "napi-v6", process.platform, process.arch);
}
