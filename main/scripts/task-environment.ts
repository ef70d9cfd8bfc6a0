/** The environment variables and arguments with which a task of a script finds its cluster and its GPU. */
import type { TaskName } from "../../worker-runtime/cluster/device-name.js";
import { PARAMETER_SERVER_JOB } from "../../worker-runtime/cluster/job-names.js";
import { PYTHON_OUTPUT } from "../../worker-runtime/engines/tensorflow/python-output.js";
import { isInCluster } from "./script-tasks.js";

/** The processors alone, or the GPU of this number, as nvidia-smi numbers them. */
export type TaskDevice = "cpu" | number;

/** Addresses by job, in the order of the tasks. */
export type ScriptCluster = Readonly<Record<string, readonly string[]>>;

/** A task and the port that is its own on every machine of the job. */
export interface PortedTask extends TaskName {
  readonly port: number;
  /** The device that it computes on; undefined for the GPU that is its turn. */
  readonly device?: TaskDevice | undefined;
}

/** The cluster as its tasks know it: each has its port on localhost, wherever it runs. */
export function clusterOf(tasks: readonly PortedTask[]): ScriptCluster {
  const cluster: Record<string, string[]> = {};
  for (const task of tasks) {
    if (!isInCluster(task)) continue;
    cluster[task.job] ??= [];
    cluster[task.job]?.push(`localhost:${task.port}`);
  }
  return cluster;
}

/**
 * The variables of a task.
 *
 * @param cluster Empty for a job of one task, which has no TF_CONFIG: it is a script like any other, and needs no server. One
 *   task may have a cluster of its own beside an evaluator.
 * @param gpus What CUDA_VISIBLE_DEVICES is set to; undefined leaves it alone.
 */
export function taskVariables(
  task: TaskName,
  cluster: ScriptCluster,
  gpus: string | undefined,
): Record<string, string> {
  return {
    // Otherwise what the script prints stays in a buffer for minutes, since its output is no terminal.
    PYTHONUNBUFFERED: "1",
    ...PYTHON_OUTPUT,
    // Compiled files would be taken for outputs of the script.
    PYTHONDONTWRITEBYTECODE: "1",
    // Tasks that share a GPU must not take all of its memory.
    TF_FORCE_GPU_ALLOW_GROWTH: "true",
    ...(gpus !== undefined && { CUDA_DEVICE_ORDER: "PCI_BUS_ID", CUDA_VISIBLE_DEVICES: gpus }),
    ...(Object.keys(cluster).length > 0 && {
      TF_CONFIG: JSON.stringify({ cluster, task: { type: task.job, index: task.index } }),
      // TensorFlow's gRPC would send even calls to localhost to a proxy.
      no_grpc_proxy: "localhost,127.0.0.1",
    }),
  };
}

/** The flags that between-graph scripts of TensorFlow 1 read: --job_name, --task_index, --ps_hosts, --worker_hosts, … */
export function clusterFlags(task: TaskName, cluster: ScriptCluster): string[] {
  const hosts = Object.entries(cluster).map(([job, addresses]) => `--${job}_hosts=${addresses.join(",")}`);
  return [`--job_name=${task.job}`, `--task_index=${task.index}`, ...hosts];
}

/**
 * The CUDA_VISIBLE_DEVICES of each of the tasks on one machine: the chosen one; otherwise parameter servers
 * see no GPU, and the others get one each, in turn. Undefined on a machine without one that is known.
 *
 * @param gpus Numbers of the machine's GPUs.
 */
export function assignGpus<T extends TaskName & Pick<PortedTask, "device">>(
  tasks: readonly T[],
  gpus: readonly number[],
): ReadonlyMap<T, string | undefined> {
  let next = 0;
  return new Map(
    tasks.map((task) => {
      if (typeof task.device === "number") return [task, String(task.device)];
      if (task.device === "cpu" || task.job === PARAMETER_SERVER_JOB) return [task, "-1"];
      return [task, gpus.length === 0 ? undefined : String(gpus[next++ % gpus.length])];
    }),
  );
}
