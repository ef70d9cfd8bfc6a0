import { hasGpuProvider } from "../../worker-runtime/engines/portable/gpu/list-adapters.js";
import type { Machine } from "../api/cluster.js";
import { version } from "../shared/version.js";

/**
 * The engines of this machine, the preferred one first. The portable engine is a part of the program.
 *
 * @param runtime The libtensorflow that was found, if any.
 * @param gpus How many GPUs the machine has.
 */
export function machineEngines(
  runtime: { readonly version: string; readonly gpu: boolean } | undefined,
  gpus = 0,
): Machine["engines"] {
  const portable = { engine: "portable" as const, version: version(), gpu: gpus > 0 && hasGpuProvider() };
  return runtime
    ? [{ engine: "tensorflow", version: runtime.version, gpu: runtime.gpu }, portable]
    : [portable];
}
