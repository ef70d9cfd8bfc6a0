/** Which ops the engines of a cluster can run. */
import type { KernelCatalogue } from "./kernel-catalogue.js";
import type { ClusterEngines } from "./task-engines.js";

/**
 * Tells for an op whether a task that is up can run it, or, where none is, a task that would be started. Undefined if
 * every op of the list may be run: there is an engine whose kernels are not known here, as that of TensorFlow.
 */
export function runnableOps(
  { tasks, ofNewTask }: ClusterEngines,
  catalogue: KernelCatalogue | undefined,
): ((op: string) => boolean) | undefined {
  const up = tasks.filter(({ isUp }) => isUp).map(({ engine }) => engine);
  const engines = up.length > 0 ? up : [ofNewTask];
  if (!catalogue || engines.some((engine) => engine !== "portable")) return undefined;
  return (op) => catalogue.has(op);
}
