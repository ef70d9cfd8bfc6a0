/** A cluster as a shell script that starts the tasks of a machine, each with its TF_CONFIG. */
import { clusterWithAddresses, requireAddress } from "./addresses.js";
import type { ExportResult, ExportTask } from "./export-model.js";
import type { ExportSettings } from "./export-options.js";
import { jobGroups } from "./job-groups.js";
import { shellCommand, shellWord } from "./shell-words.js";
import { gpusOf, taskCommand } from "./task-program.js";

/** @throws TensorFlowError INVALID_ARGUMENT for a cluster that cannot be written so. */
export function shellExport(tasks: readonly ExportTask[], settings: ExportSettings): ExportResult {
  const { name } = settings;
  const ordered = jobGroups(tasks).flatMap((group) => group.tasks);
  const cluster = clusterWithAddresses(ordered, "a shell script");
  const byHost = new Map<string, ExportTask[]>();
  for (const task of ordered) {
    const { host } = requireAddress(task, "a shell script");
    byHost.set(host, [...(byHost.get(host) ?? []), task]);
  }
  const [firstHost = ""] = byHost.keys();
  const fileName = `${name}.sh`;
  const usage = [
    `usage: ${fileName} JOB INDEX    start one task and stay with it`,
    `       ${fileName} on HOST      start all tasks of a machine; Ctrl+C ends them`,
    `tasks: ${ordered.map((task) => `${task.job} ${task.index} (${task.address})`).join(", ")}`,
  ];
  const text = `#!/usr/bin/env bash
# TensorFlow cluster of ${ordered.length === 1 ? "one task" : `${ordered.length} tasks`}. The same file serves every machine.
set -euo pipefail

cluster=${shellWord(JSON.stringify(cluster.asDict()))}

usage() {
  cat <<'USAGE'
${usage.join("\n")}
USAGE
}

# The program of task $1 $2, in place of this shell.
start() {
  export TF_CONFIG="{\\"cluster\\": $cluster, \\"task\\": {\\"type\\": \\"$1\\", \\"index\\": $2}}"
  case "$1 $2" in
${ordered.map((task) => taskCase(task, settings)).join("")}    *) echo "The cluster has no task $1 $2." >&2; usage >&2; exit 2 ;;
  esac
}

# All tasks of the machine $1, until they have ended or this script is.
start_on() {
  local tasks
  case "$1" in
${[...byHost].map(([host, members]) => `    ${shellWord(host)}) tasks=(${members.map(({ job, index }) => `"${job} ${index}"`).join(" ")}) ;;\n`).join("")}    *) echo "No task has an address at $1." >&2; usage >&2; exit 2 ;;
  esac
  local pids=() task
  for task in "\${tasks[@]}"; do
    # Two words: job and index.
    # shellcheck disable=SC2086
    start $task &
    pids+=("$!")
  done
  # shellcheck disable=SC2064
  trap "kill \${pids[*]} 2>/dev/null || true" EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  # A task that failed gives its exit status, and the others end.
  local pid
  for pid in "\${pids[@]}"; do wait "$pid"; done
}

if [ $# -ne 2 ]; then
  usage
  exit 2
elif [ "$1" = on ]; then
  start_on "$2"
else
  start "$1" "$2"
fi
`;
  return {
    file: { name: fileName, language: "shell", executable: true, text },
    notes: [
      `On each machine: ./${fileName} on HOST, with its host in the cluster, such as ${firstHost}.`,
      settings.run === "worker"
        ? "The machines need Tensordeck's command, tensordeck, on their PATH."
        : `The machines need ${settings.python} with TensorFlow.`,
      "TensorFlow's protocol has no passwords: whoever reaches a task's port can run any graph there.",
    ],
  };
}

function taskCase(task: ExportTask, settings: ExportSettings): string {
  // Only where the cluster says so: a machine's GPUs are everybody's unless they are given out.
  const hidden = task.gpus === 0 || (settings.gpus !== undefined && gpusOf(task, settings) === 0);
  const lines = [
    ...(hidden ? ["export CUDA_VISIBLE_DEVICES=-1"] : []),
    `exec ${shellCommand(taskCommand(task, settings, "machine"))}`,
  ];
  return `    "${task.job} ${task.index}")\n${lines.map((line) => `      ${line}\n`).join("")}      ;;\n`;
}
