/** A cluster as a batch job of Slurm, which chooses the machines; the script finds out which and writes TF_CONFIG. */
import type { ExportResult, ExportTask } from "./export-model.js";
import type { ExportSettings } from "./export-options.js";
import { clusterOfGroups, jobGroups } from "./job-groups.js";
import { shellCommand } from "./shell-words.js";
import { gpusOf, taskCommand } from "./task-program.js";

/** How long the other tasks go on when the first has ended, such as a ps that waits for ever. */
const SECONDS_AFTER_FIRST = 60;

/** @throws TensorFlowError INVALID_ARGUMENT for a cluster that cannot be written so. */
export function slurmExport(tasks: readonly ExportTask[], settings: ExportSettings): ExportResult {
  const { name, run, port } = settings;
  const groups = jobGroups(tasks);
  const ordered = groups.flatMap((group) => group.tasks);
  const gpus = Math.max(...ordered.map((task) => gpusOf(task, settings)));
  const cluster = clusterOfGroups(groups, (task) => `$(address ${ordered.indexOf(task)})`);
  const withoutGpu = ordered.flatMap((task, number) => (gpusOf(task, settings) === 0 ? [number] : []));
  const fileName = `${name}.sbatch`;
  const text = `#!/bin/bash
${directives(settings, ordered.length, gpus)
  .map((directive) => `#SBATCH --${directive}\n`)
  .join("")}
# TensorFlow cluster of ${ordered.length === 1 ? "one task" : `${ordered.length} tasks`}. Submit it with: sbatch ${fileName}
set -euo pipefail

# The machine of each task, by Slurm's number of the task.
mapfile -t hosts < <(srun --label hostname | sort -n | sed 's/^ *[0-9]*: *//')

# Tasks that share a machine need ports of their own.
address() {
  printf '%s:%s' "\${hosts[$1]}" "$((${port} + $1))"
}

export TF_CLUSTER="${JSON.stringify(cluster).replaceAll('"', '\\"')}"
echo "cluster $TF_CLUSTER"

# What each task runs; Slurm numbers them from 0.
task=$(cat <<'TASK'
set -euo pipefail
jobs=(${ordered.map(({ job }) => job).join(" ")})
indices=(${ordered.map(({ index }) => index).join(" ")})
job=\${jobs[$SLURM_PROCID]}
index=\${indices[$SLURM_PROCID]}
export TF_CONFIG="{\\"cluster\\": $TF_CLUSTER, \\"task\\": {\\"type\\": \\"$job\\", \\"index\\": $index}}"
${hidingGpus(gpus, withoutGpu)}exec ${commandText(ordered, settings)}
TASK
)
srun --label --kill-on-bad-exit=1${run === "script" ? ` --wait=${SECONDS_AFTER_FIRST}` : ""} bash -c "$task"
`;
  return {
    file: { name: fileName, language: "shell", executable: true, text },
    notes: [
      run === "worker"
        ? "The machines need Tensordeck's command, tensordeck, on the PATH of the job."
        : `The machines need ${settings.python} with TensorFlow on the PATH of the job.`,
      ...(gpus > 0 && withoutGpu.length > 0
        ? ["Slurm gives each task of a step the same, so tasks that use no GPU are given one, too."]
        : []),
      "The addresses are in the job's output, and any user of those machines can reach the tasks: TensorFlow's protocol has no passwords.",
    ],
  };
}

function directives(settings: ExportSettings, tasks: number, gpus: number): string[] {
  const { name, cpus, memoryMib, partition, account, time } = settings;
  return [
    `job-name=${name}`,
    `ntasks=${tasks}`,
    `cpus-per-task=${cpus ?? 1}`,
    ...(memoryMib === undefined ? [] : [`mem-per-cpu=${Math.ceil(memoryMib / (cpus ?? 1))}M`]),
    ...(gpus > 0 ? [`gpus-per-task=${gpus}`] : []),
    ...(time === undefined ? [] : [`time=${time}`]),
    ...(partition === undefined ? [] : [`partition=${partition}`]),
    ...(account === undefined ? [] : [`account=${account}`]),
    `output=${name}-%j.log`,
  ];
}

function hidingGpus(gpus: number, without: readonly number[]): string {
  if (gpus === 0 || without.length === 0) return "";
  return `case $SLURM_PROCID in (${without.join(" | ")}) export CUDA_VISIBLE_DEVICES= ;; esac\n`;
}

/** One command for all: the engines of a cluster's tasks may differ only where Tensordeck starts them itself. */
function commandText(tasks: readonly ExportTask[], settings: ExportSettings): string {
  const engines = new Set(tasks.map(({ engine }) => engine));
  const [only] = engines.size === 1 ? engines : [];
  return shellCommand(taskCommand(only === undefined ? {} : { engine: only }, settings, "machine"));
}
