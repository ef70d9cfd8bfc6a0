/** The objects of Kubernetes for a script: a headless Service that names its pods, and a Job for each task. Pure. */
import type { TaskName } from "../../../worker-runtime/cluster/device-name.js";
import { hostLabel } from "../../../worker-runtime/cluster/orchestrators/job-groups.js";
import { literalForPod } from "../../../worker-runtime/cluster/orchestrators/pod.js";
import type { ScriptCluster } from "../../scripts/task-environment.js";
import { FIRST_TASK_PORT } from "../../tasks/task-ports.js";
import { INSTANCE_LABEL } from "../pod-task.js";
import { JOB_FOLDER, JOB_VARIABLE, POD_PROGRAM } from "./script-program.js";

export const SCRIPT_CONTAINER = "script";
/** "worker-0" */
export const TASK_LABEL = "tensordeck/task";
/** The label that counts the task's pods, from 1. */
export const ATTEMPT_LABEL = "tensordeck/attempt";

/** After it has ended, should the machine that submitted it be gone. */
const KEPT_SECONDS = 3600;
const GRACE_SECONDS = 15;
const VOLUME = "job";
const PORT_NAME = "grpc-tf";

/** The resources that the container of a task may use, as Kubernetes writes it. */
export interface PodSize {
  readonly image: string;
  readonly cpus?: string | undefined;
  readonly memory?: string | undefined;
  readonly gpus: number;
}

export interface ScriptPodOptions extends PodSize {
  /** The job's name, with which all names begin. */
  readonly name: string;
  readonly task: TaskName;
  readonly attempt: number;
  readonly port: number;
  /** With which the program tells its exit codes. */
  readonly token: string;
}

/** Selects all pods of a job. */
export function scriptSelector(name: string): string {
  return Object.entries(labels(name))
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}

function labels(name: string): Record<string, string> {
  return { "app.kubernetes.io/name": "tensordeck-script", [INSTANCE_LABEL]: name };
}

/** "worker-0" */
export function hostOf({ job, index }: TaskName): string {
  return `${hostLabel(job)}-${index}`;
}

/** The cluster as the pods know it: each task by the name of its pod, at the port that it has on localhost elsewhere. */
export function podCluster(cluster: ScriptCluster, name: string): ScriptCluster {
  return Object.fromEntries(
    Object.entries(cluster).map(([job, addresses]) => [
      job,
      addresses.map((address, index) => `${hostOf({ job, index })}.${name}:${address.split(":").at(-1)}`),
    ]),
  );
}

/** A Job of one pod, which is not started again by Kubernetes: the job's course is decided where it was submitted. */
export function scriptJob({
  name,
  task,
  attempt,
  port,
  token,
  image,
  cpus,
  memory,
  gpus,
}: ScriptPodOptions): object {
  const own = { ...labels(name), [TASK_LABEL]: hostOf(task), [ATTEMPT_LABEL]: String(attempt) };
  const requests = { ...(cpus !== undefined && { cpu: cpus }), ...(memory !== undefined && { memory }) };
  const limits = { ...requests, ...(gpus > 0 && { "nvidia.com/gpu": gpus }) };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: `${name}-${hostOf(task)}${attempt === 1 ? "" : `-${attempt}`}`, labels: own },
    spec: {
      backoffLimit: 0,
      ttlSecondsAfterFinished: KEPT_SECONDS,
      template: {
        metadata: { labels: own },
        spec: {
          restartPolicy: "Never",
          hostname: hostOf(task),
          subdomain: name,
          automountServiceAccountToken: false,
          enableServiceLinks: false,
          terminationGracePeriodSeconds: GRACE_SECONDS,
          containers: [
            {
              name: SCRIPT_CONTAINER,
              image,
              command: ["sh", "-c", literalForPod(POD_PROGRAM), "tensordeck", token],
              env: [{ name: JOB_VARIABLE, value: JOB_FOLDER }],
              ...(port !== 0 && { ports: [{ name: PORT_NAME, containerPort: port }] }),
              ...(Object.keys(limits).length > 0 && {
                resources: { ...(Object.keys(requests).length > 0 && { requests }), limits },
              }),
              volumeMounts: [{ name: VOLUME, mountPath: JOB_FOLDER }],
            },
          ],
          volumes: [{ name: VOLUME, emptyDir: {} }],
        },
      },
    },
  };
}

/** A Job of the job, which takes the other objects along when it is deleted. */
export interface Owner {
  readonly name: string;
  readonly uid: string;
}

function metadata(name: string, { name: owner, uid }: Owner): object {
  const reference = { apiVersion: "batch/v1", kind: "Job", name: owner, uid };
  return { name, labels: labels(name), ownerReferences: [reference] };
}

/** The tasks find each other by it, also while they start. */
export function scriptService(name: string, owner: Owner): object {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadata(name, owner),
    spec: {
      clusterIP: "None",
      publishNotReadyAddresses: true,
      selector: labels(name),
      ports: [{ name: PORT_NAME, port: FIRST_TASK_PORT, targetPort: PORT_NAME }],
    },
  };
}

/** Only pods of the job reach its tasks, where the cluster's network enforces it. */
export function scriptPolicy(name: string, owner: Owner): object {
  return {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: metadata(name, owner),
    spec: {
      podSelector: { matchLabels: labels(name) },
      policyTypes: ["Ingress"],
      ingress: [{ from: [{ podSelector: { matchLabels: labels(name) } }] }],
    },
  };
}
