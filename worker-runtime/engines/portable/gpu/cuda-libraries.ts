import { existsSync } from "node:fs";
import { join } from "node:path";
import { runProgram } from "../../../programs/run-program.js";

/** The libraries of ONNX Runtime's CUDA provider, which its package's install script downloads on Linux. */
const SHARED = "libonnxruntime_providers_shared.so";
const PROVIDER = "libonnxruntime_providers_cuda.so";
const DEADLINE_MILLIS = 10_000;

/** Whether the libraries of the CUDA provider have been added to ONNX Runtime's package. */
export function hasCudaLibraries(folder: string): boolean {
  return [SHARED, PROVIDER].every((name) => existsSync(join(folder, name)));
}

/**
 * Asks the system's loader for what the CUDA provider needs: those of CUDA and cuDNN come with neither the package nor
 * the driver. ONNX Runtime itself would only find out when it makes a session.
 *
 * @returns why the provider cannot be loaded; undefined if it can.
 */
export async function cudaProblem(folder: string, signal?: AbortSignal): Promise<string | undefined> {
  const options = { timeoutMillis: DEADLINE_MILLIS, signal };
  const { error, stdout } = await runProgram("ldd", [join(folder, PROVIDER)], options);
  const missing = stdout.split("\n").flatMap((line) => /^\s*(\S+) => not found/.exec(line)?.[1] ?? []);
  if (missing.length > 0) {
    return `it needs ${missing.join(", ")}, which CUDA 12 and cuDNN have`;
  }
  return error && `${PROVIDER} cannot be read: ${error.message.trim()}`;
}
