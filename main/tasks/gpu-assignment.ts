/** Which GPUs a task sees when its order leaves that open: a GPU serves one worker well, but not two. */
import { PARAMETER_SERVER_JOB } from "../../worker-runtime/cluster/job-names.js";
import type { Engine, GpuChoice } from "../api/cluster.js";

/** The inputs to the assignment of a task's GPUs. */
export interface GpuWish {
  readonly choice: GpuChoice;
  readonly job: string;
  readonly engine: Engine;
}

/**
 * @param gpus The machine's GPUs by nvidia-smi's number; empty if they are not known.
 * @param inUse The GPUs that each other running task was given.
 * @returns "auto" (all), "none", or numbers joined by commas: what a server is launched with.
 */
export function visibleGpus(
  { choice, job, engine }: GpuWish,
  gpus: readonly number[],
  inUse: readonly (readonly number[])[],
): string {
  if (choice === "none") return "none";
  if (choice === "auto" && job === PARAMETER_SERVER_JOB) return "none";
  // The portable engine has numbers of its own and finds the best GPU by itself, of any maker.
  if (engine === "portable") return "auto";
  if (choice !== "auto") return choice.join(",");
  const users = (gpu: number) => inUse.filter((given) => given.includes(gpu)).length;
  const [first, ...others] = gpus;
  if (first === undefined) return "auto";
  return String(others.reduce((best, gpu) => (users(gpu) < users(best) ? gpu : best), first));
}

/** The indices in a result of `visibleGpus`. */
export function gpuNumbers(visible: string, gpus: readonly number[]): number[] {
  if (visible === "none") return [];
  return visible === "auto" ? [...gpus] : visible.split(",").map(Number);
}
