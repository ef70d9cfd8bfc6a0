/** Which GPUs a task sees when its order leaves that open: a GPU serves one worker well but not two. */
import type { Engine, GpuChoice } from "../api/cluster.js";

/** TensorFlow's customary name for the job that holds variables; its tasks take no GPU memory from the workers. */
const PARAMETER_SERVER_JOB = "ps";

/** The inputs to the assignment of a task's GPUs. */
export interface GpuWish {
  readonly choice: GpuChoice;
  readonly job: string;
  readonly engine: Engine;
}

/**
 * @param gpus The machine's GPUs by nvidia-smi's number; empty where they are not known.
 * @param inUse The GPUs that each other running task was given.
 * @returns "auto" (all), "none", or numbers joined by commas: what a server is launched with.
 */
export function visibleGpus(
  { choice, job, engine }: GpuWish,
  gpus: readonly number[],
  inUse: readonly (readonly number[])[],
): string {
  // The portable engine computes on the CPU and leaves the GPUs to others.
  if (choice === "none" || engine === "portable") return "none";
  if (choice !== "auto") return choice.join(",");
  if (job === PARAMETER_SERVER_JOB) return "none";
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
