/** The systems that a cluster can be exported to. */
export const EXPORT_TARGETS = ["compose", "kubernetes", "tfjob", "marathon", "slurm", "shell"] as const;

/**
 * compose: Docker Compose, all tasks on one machine. kubernetes: StatefulSets and headless Services. tfjob: a job of
 * Kubeflow's training operator. marathon: a group of apps on Mesos. slurm: a batch job. shell: a script for the machines
 * that the cluster names.
 */
export type ExportTarget = (typeof EXPORT_TARGETS)[number];

export function isExportTarget(text: string): text is ExportTarget {
  return (EXPORT_TARGETS as readonly string[]).includes(text);
}
