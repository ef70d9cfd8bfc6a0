/** Exports of a cluster for other systems. */
import { composeExport } from "./compose.js";
import type { ExportResult, ExportTask } from "./export-model.js";
import { type ExportSettings, type OptionValues, readOptions } from "./export-options.js";
import type { ExportTarget } from "./export-targets.js";
import { kubernetesExport } from "./kubernetes.js";
import { marathonExport } from "./marathon.js";
import { shellExport } from "./shell.js";
import { slurmExport } from "./slurm.js";
import { tfJobExport } from "./tfjob.js";

type Writer = (tasks: readonly ExportTask[], settings: ExportSettings) => ExportResult;

const WRITERS: Readonly<Record<ExportTarget, Writer>> = {
  compose: composeExport,
  kubernetes: kubernetesExport,
  tfjob: tfJobExport,
  marathon: marathonExport,
  slurm: slurmExport,
  shell: shellExport,
};

/**
 * Writes a cluster as the file of another system.
 * @throws TensorFlowError INVALID_ARGUMENT for invalid options, and for clusters that the target cannot express.
 */
export function exportCluster(
  target: ExportTarget,
  tasks: readonly ExportTask[],
  values: OptionValues,
): ExportResult {
  return WRITERS[target](tasks, readOptions(target, values));
}
