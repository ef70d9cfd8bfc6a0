import { exportCluster } from "../../../../worker-runtime/cluster/orchestrators/export-cluster.js";
import type { ExportTask } from "../../../../worker-runtime/cluster/orchestrators/export-model.js";
import {
  type OptionValues,
  optionsOf,
} from "../../../../worker-runtime/cluster/orchestrators/export-options.js";
import type { ExportTarget } from "../../../../worker-runtime/cluster/orchestrators/export-targets.js";

/** One ps and two workers on two machines. */
export const THREE_TASKS: readonly ExportTask[] = [
  { job: "ps", index: 0, address: "gpu-pc:2222" },
  { job: "worker", index: 0, address: "gpu-pc:2223" },
  { job: "worker", index: 1, address: "raspberrypi:2222" },
];

/** The options that a user can give at once, for each target. */
export const MUCH: Readonly<Record<ExportTarget, OptionValues>> = {
  compose: { name: "lab", cpus: "1.5", memory: "4Gi", gpus: "2", publish: "yes" },
  kubernetes: { name: "lab", namespace: "tf", cpus: "0.5", memory: "512Mi", gpus: "1" },
  tfjob: { name: "lab", namespace: "tf", cpus: "2", memory: "4Gi", gpus: "1", port: "3000" },
  marathon: { name: "lab", cpus: "2", memory: "4Gi", gpus: "1" },
  slurm: {
    name: "lab",
    cpus: "4",
    memory: "8Gi",
    gpus: "1",
    time: "1:00:00",
    partition: "gpu",
    account: "lab",
  },
  shell: { name: "lab", gpus: "1", engine: "portable" },
};

/** Options with an image where there has to be one. */
export function withImage(target: ExportTarget, values: OptionValues): OptionValues {
  const needsIt =
    optionsOf(target).some(({ name }) => name === "image") && (values.run ?? "worker") === "worker";
  return needsIt ? { image: "lab/tensordeck:1", ...values } : values;
}

export function textOf(
  target: ExportTarget,
  values: OptionValues = {},
  tasks: readonly ExportTask[] = THREE_TASKS,
): string {
  return exportCluster(target, tasks, withImage(target, values)).file.text;
}
