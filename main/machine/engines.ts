import type { Machine } from "../api/cluster.js";
import { version } from "../shared/version.js";

/**
 * The engines of this machine, the preferred one first. The portable engine is a part of the program.
 *
 * @param runtime The libtensorflow that was found, if any.
 */
export function machineEngines(
  runtime: { readonly version: string; readonly gpu: boolean } | undefined,
): Machine["engines"] {
  const portable = { engine: "portable" as const, version: version(), gpu: false };
  return runtime
    ? [{ engine: "tensorflow", version: runtime.version, gpu: runtime.gpu }, portable]
    : [portable];
}
