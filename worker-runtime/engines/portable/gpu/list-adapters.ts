import { existsSync } from "node:fs";
import { type ProgramEnd, runProgram } from "../../../programs/run-program.js";
import { compiledModule, nodeCommand } from "../../package-root.js";
import type { AdaptersAnswer } from "./adapter.js";

/** A driver takes a second or two to wake a sleeping GPU. */
const DEADLINE_MILLIS = 20_000;
/** The GPU devices of Linux: Mesa's, NVIDIA's, WSL's. Without any of them no query is needed. */
const LINUX_DEVICES = ["/dev/dri", "/dev/nvidiactl", "/dev/dxg"];
/** Variables that name drivers, which may compute without a device. */
const DRIVER_VARIABLES = ["VK_ICD_FILENAMES", "VK_DRIVER_FILES", "VK_ADD_DRIVER_FILES"];

/**
 * Whether ONNX Runtime's package has a provider for GPUs on this system: WebGPU on Windows, Linux on x86-64 and Macs
 * with Apple silicon.
 */
export function hasGpuProvider(platform = process.platform, arch: string = process.arch): boolean {
  switch (platform) {
    case "linux":
      return arch === "x64";
    case "win32":
      return arch === "x64" || arch === "arm64";
    case "darwin":
      return arch === "arm64";
    default:
      return false;
  }
}

/** Whether it makes sense to look for GPUs. Costs nothing. */
function mayHaveGpu(env: Readonly<Record<string, string | undefined>>): boolean {
  return (
    process.platform !== "linux" ||
    LINUX_DEVICES.some((device) => existsSync(device)) ||
    DRIVER_VARIABLES.some((name) => (env[name] ?? "") !== "")
  );
}

/**
 * The GPUs of this machine that the portable engine can use, best first.
 * @throws TensorFlowError FAILED_PRECONDITION as `nodeCommand` and `compiledModule`; a driver that fails is told in the answer.
 */
export async function listAdapters(
  signal?: AbortSignal,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<AdaptersAnswer> {
  if (!hasGpuProvider()) {
    return { problem: `ONNX Runtime has no GPU support on ${process.platform} ${process.arch}.` };
  }
  if (!mayHaveGpu(env)) {
    return { adapters: [] };
  }
  const node = nodeCommand();
  const script = compiledModule("engines/portable/gpu/adapters-process.js");
  return readAnswer(
    await runProgram(node.command, [script], {
      timeoutMillis: DEADLINE_MILLIS,
      env: { ...env, ...node.env },
      signal,
    }),
  );
}

async function readAnswer({ error, stdout }: ProgramEnd): Promise<AdaptersAnswer> {
  // Loaded only for an answer: with zod it is a sixth of the code that a worker would load at its start.
  const { adaptersAnswerSchema } = await import("./adapter-schema.js");
  try {
    return adaptersAnswerSchema.parse(JSON.parse(stdout.trim().split("\n").at(-1) ?? ""));
  } catch {
    return { problem: crashText(error) };
  }
}

function crashText(error: ProgramEnd["error"]): string {
  if (error?.killed) {
    return `The graphics driver did not answer within ${DEADLINE_MILLIS / 1000} s.`;
  }
  return error?.signal
    ? `The graphics driver crashed the process that asked it (${error.signal}).`
    : `The graphics driver could not be asked: ${error?.message ?? "no answer"}.`;
}
