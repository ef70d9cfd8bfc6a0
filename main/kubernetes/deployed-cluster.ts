/** A cluster as a number of tasks for each job, kept with what it was exported with so that it can be scaled. Pure. */
import { z } from "zod";
import type { ExportTask } from "../../worker-runtime/cluster/orchestrators/export-model.js";
import {
  EXPORT_OPTIONS,
  type OptionName,
} from "../../worker-runtime/cluster/orchestrators/export-options.js";
import { hostLabel } from "../../worker-runtime/cluster/orchestrators/job-groups.js";
import { kubeTasksSchema } from "../api/kubernetes.js";
import { problem } from "../shared/problems.js";
import type { WantedTask } from "./pod-cluster.js";

/** Where it is kept, on the cluster's ConfigMap. */
export const CLUSTER_ANNOTATION = "tensordeck/cluster";

const MAX_TASKS = 512;

const optionNames = EXPORT_OPTIONS.map(({ name }) => name);
const optionsSchema = z
  .record(z.string(), z.string())
  .refine((values) => Object.keys(values).every((name) => optionNames.some((known) => known === name)), {
    message: "names an option that exports do not have",
  })
  .transform((values) => values as Partial<Record<OptionName, string>>);

/** What is deployed: the tasks, and the options of the export. */
export const deployedClusterSchema = z.object({
  tasks: kubeTasksSchema,
  options: optionsSchema,
});
export type DeployedCluster = z.infer<typeof deployedClusterSchema>;

/** @throws ProblemError INVALID_ARGUMENT that says what is wrong */
export function readDeployedCluster(cluster: {
  readonly tasks: DeployedCluster["tasks"];
  readonly options: Readonly<Record<string, string>>;
}): DeployedCluster {
  const parsed = deployedClusterSchema.safeParse(cluster);
  if (parsed.success) return parsed.data;
  throw problem("INVALID_ARGUMENT", "The cluster cannot be deployed.", {
    reason: z.prettifyError(parsed.error),
  });
}

/** The name that begins the names of all its objects. */
export function nameOf({ options }: DeployedCluster): string {
  return options.name || "tensordeck";
}

/** The tasks with their pods, each of which the StatefulSet of its job makes. */
export function wantedTasks(cluster: DeployedCluster): WantedTask[] {
  const { run = "worker", engine: byDefault } = cluster.options;
  return cluster.tasks.map(({ job, index, engine = byDefault }) => ({
    ...{ pod: `${nameOf(cluster)}-${hostLabel(job)}-${index}`, job, index },
    engine: run === "worker" && engine === "portable" ? "portable" : "tensorflow",
  }));
}

/** Tasks of a list, without what has no meaning in Kubernetes. */
export function deployedTasks(tasks: readonly ExportTask[]): DeployedCluster["tasks"] {
  return tasks.map(({ job, index, engine, gpus }) => ({
    job,
    index,
    ...(engine !== undefined && { engine }),
    ...(gpus !== undefined && { gpus }),
  }));
}

/** What a ConfigMap says about its cluster; undefined if Tensordeck did not deploy it. */
export function clusterOfConfigMap(configMap: {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
}): DeployedCluster | undefined {
  try {
    const kept: unknown = JSON.parse(configMap.metadata.annotations?.[CLUSTER_ANNOTATION] ?? "");
    return deployedClusterSchema.parse(kept);
  } catch {
    return undefined;
  }
}

/** The cluster with another number of tasks in a job. @throws ProblemError if it has no such job */
export function scaled(cluster: DeployedCluster, job: string, replicas: number): DeployedCluster {
  const present = cluster.tasks.filter((task) => task.job === job);
  const [first] = present;
  if (first === undefined) {
    const jobs = [...new Set(cluster.tasks.map((task) => task.job))].join(", ");
    throw problem("NOT_FOUND", `The cluster ${nameOf(cluster)} has no job ${job}.`, {
      remedy: `Its jobs are: ${jobs}.`,
    });
  }
  const others = cluster.tasks.filter((task) => task.job !== job);
  if (others.length + replicas > MAX_TASKS) {
    throw problem("INVALID_ARGUMENT", `A cluster has at most ${MAX_TASKS} tasks.`);
  }
  const wanted = Array.from({ length: replicas }, (_, index) => ({
    ...(present.find((task) => task.index === index) ?? first),
    index,
  }));
  return { ...cluster, tasks: [...others, ...wanted] };
}
