/** The tasks of a cluster by job, for systems that start a job as a number of copies. */
import { invalidArgument } from "../../protocol/status.js";
import type { ExportTask } from "./export-model.js";

export interface JobGroup {
  readonly job: string;
  /** The job's name as a part of host names: lower case, dashes. */
  readonly label: string;
  /** Sorted by index. */
  readonly tasks: readonly ExportTask[];
}

/**
 * The jobs in their order, with sorted tasks.
 * @throws TensorFlowError INVALID_ARGUMENT if there is no task, a job's name is invalid, two tasks have one name, or two
 *   jobs would have one host name.
 */
export function jobGroups(tasks: readonly ExportTask[]): JobGroup[] {
  if (tasks.length === 0) throw invalidArgument("The cluster has no tasks to export.");
  const byJob = new Map<string, ExportTask[]>();
  for (const task of tasks) {
    if (!/^[A-Za-z][A-Za-z0-9_]*$/.test(task.job)) {
      throw invalidArgument(
        `The job name '${task.job}' must be a letter followed by letters, digits and underscores.`,
      );
    }
    const group = byJob.get(task.job) ?? [];
    if (group.some(({ index }) => index === task.index)) {
      throw invalidArgument(`The cluster has ${task.job}/${task.index} twice.`);
    }
    group.push(task);
    byJob.set(task.job, group);
  }
  const owners = new Map<string, string>();
  return [...byJob].map(([job, group]) => {
    const label = hostLabel(job);
    const owner = owners.get(label);
    if (owner !== undefined) {
      throw invalidArgument(
        `The jobs '${owner}' and '${job}' would both be called ${label} there. Rename one.`,
      );
    }
    owners.set(label, job);
    return { job, label, tasks: group.sort((a, b) => a.index - b.index) };
  });
}

/** Host names have no underscores and do not distinguish case. */
export function hostLabel(job: string): string {
  return job.toLowerCase().replace(/_+$/, "").replaceAll("_", "-");
}

/**
 * @param system the subject of the error: "Kubernetes".
 * @throws TensorFlowError INVALID_ARGUMENT if a job's indices do not count up from 0.
 */
export function requireDense(groups: readonly JobGroup[], system: string): void {
  for (const { job, tasks } of groups) {
    tasks.forEach(({ index }, position) => {
      if (index !== position) {
        throw invalidArgument(
          `${system} numbers the tasks of a job from 0 without gaps, and job '${job}' has no task ${position}.`,
        );
      }
    });
  }
}

/** The most GPUs that a task of the job has: its copies are alike. */
export function mostOf(group: JobGroup, numberOf: (task: ExportTask) => number): number {
  return Math.max(...group.tasks.map(numberOf));
}

/** Addresses by job as a ClusterSpec's dictionary: a list, or a mapping where indices are missing. */
export function clusterOfGroups(
  groups: readonly JobGroup[],
  addressOf: (task: ExportTask, label: string) => string,
): Record<string, string[] | Record<number, string>> {
  return Object.fromEntries(
    groups.map(({ job, label, tasks }) => {
      const isDense = tasks.every(({ index }, position) => index === position);
      const entries = tasks.map((task): [number, string] => [task.index, addressOf(task, label)]);
      return [job, isDense ? entries.map(([, address]) => address) : Object.fromEntries(entries)];
    }),
  );
}

/** TF_CONFIG of a task. */
export function tfConfigOf(cluster: object, { job, index }: Pick<ExportTask, "job" | "index">): string {
  return JSON.stringify({ cluster, task: { type: job, index } });
}
