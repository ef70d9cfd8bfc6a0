/** The parts of a pod that both Kubernetes' own kinds and Kubeflow's have. */
import type { ExportSettings } from "./export-options.js";

/** Kubernetes replaces $(NAME) in commands and environment variables. */
export function literalForPod(text: string): string {
  return text.replaceAll("$(", "$$$$(");
}

/** The resources that a container may use; GPUs can only be limits. */
export function podResources(
  { cpus, memoryMib }: Pick<ExportSettings, "cpus" | "memoryMib">,
  gpus: number,
): object | undefined {
  const sizes = {
    ...(cpus !== undefined && { cpu: String(cpus) }),
    ...(memoryMib !== undefined && { memory: `${memoryMib}Mi` }),
  };
  const limits = { ...sizes, ...(gpus > 0 && { "nvidia.com/gpu": gpus }) };
  if (Object.keys(limits).length === 0) return undefined;
  return { ...(Object.keys(sizes).length > 0 && { requests: sizes }), limits };
}
