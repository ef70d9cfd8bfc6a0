/** A pod as a task of a cluster. Pure. */
import { z } from "zod";
import { hostLabel } from "../../worker-runtime/cluster/orchestrators/job-groups.js";
import type { TaskState } from "../api/cluster.js";
import type { Problem } from "../api/problem.js";
import { defined } from "../shared/problems.js";

export const INSTANCE_LABEL = "app.kubernetes.io/instance";
export const COMPONENT_LABEL = "app.kubernetes.io/component";
/** Selects everything that was deployed. */
export const TENSORDECK_SELECTOR = "app.kubernetes.io/name=tensordeck";

const stateSchema = z
  .object({
    waiting: z.object({ reason: z.string().optional(), message: z.string().optional() }).optional(),
    running: z.object({ startedAt: z.string().optional() }).optional(),
    terminated: z
      .object({
        exitCode: z.number().optional(),
        reason: z.string().optional(),
        message: z.string().optional(),
      })
      .optional(),
  })
  .optional();

/** Kubernetes' Pod, as far as it is used. */
export const podSchema = z.object({
  metadata: z.object({
    name: z.string(),
    uid: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    deletionTimestamp: z.string().optional(),
    resourceVersion: z.string().optional(),
  }),
  spec: z
    .object({
      nodeName: z.string().optional(),
      containers: z
        .array(
          z.object({
            name: z.string(),
            ports: z.array(z.object({ name: z.string().optional(), containerPort: z.number() })).optional(),
          }),
        )
        .optional(),
    })
    .optional(),
  status: z
    .object({
      phase: z.string().optional(),
      message: z.string().optional(),
      reason: z.string().optional(),
      conditions: z
        .array(z.object({ type: z.string(), status: z.string(), message: z.string().optional() }))
        .optional(),
      containerStatuses: z
        .array(
          z.object({
            restartCount: z.number(),
            started: z.boolean().nullable().optional(),
            state: stateSchema,
            lastState: stateSchema,
          }),
        )
        .optional(),
    })
    .optional(),
});
export type Pod = z.infer<typeof podSchema>;

/** A task of a deployed cluster. */
export interface PodTask {
  /** Name of the pod, which is that of the task for as long as the cluster exists. */
  readonly pod: string;
  /** The ID of this very pod: one that replaces it has its name. */
  readonly uid?: string;
  /** Name of the cluster. */
  readonly cluster: string;
  readonly job: string;
  readonly index: number;
  readonly container: string;
  readonly port: number;
  readonly state: TaskState;
  /** Absent until the pod has a node. */
  readonly node?: string;
  readonly restarts: number;
  /** Milliseconds since the epoch. */
  readonly startedAt?: number;
  readonly problem?: Problem;
}

const DEFAULT_PORT = 2222;

/**
 * @param jobs of its cluster, since a pod's labels have a job's name only as a part of host names
 * @returns undefined if it is not a task
 */
export function taskOfPod(pod: Pod, jobs: readonly string[]): PodTask | undefined {
  const { name, labels = {}, deletionTimestamp } = pod.metadata;
  const cluster = labels[INSTANCE_LABEL];
  const component = labels[COMPONENT_LABEL];
  const index = /-(\d+)$/.exec(name)?.[1];
  if (cluster === undefined || component === undefined || index === undefined) return undefined;
  const [container] = pod.spec?.containers ?? [];
  const [status] = pod.status?.containerStatuses ?? [];
  const started = status?.state?.running?.startedAt;
  const problem = problemOfPod(pod);
  return defined({
    pod: name,
    uid: pod.metadata.uid,
    cluster,
    job: jobs.find((job) => hostLabel(job) === component) ?? component,
    index: Number(index),
    container: container?.name ?? "tensorflow",
    port: container?.ports?.[0]?.containerPort ?? DEFAULT_PORT,
    state: deletionTimestamp === undefined ? stateOf(pod, problem) : "stopping",
    node: pod.spec?.nodeName,
    restarts: status?.restartCount ?? 0,
    startedAt: started === undefined ? undefined : Date.parse(started),
    problem,
  }) as PodTask;
}

function stateOf(pod: Pod, problem: Problem | undefined): TaskState {
  const { phase, conditions = [], containerStatuses = [] } = pod.status ?? {};
  if (phase === "Succeeded") return "stopped";
  if (phase === "Failed") return "failed";
  if (problem !== undefined && problem.code !== "UNAVAILABLE") return "failed";
  if (conditions.some(({ type, status }) => type === "Ready" && status === "True")) return "running";
  // Its startup probe was answered once.
  return containerStatuses[0]?.started ? "unresponsive" : "starting";
}

/** Reasons for which a container waits and never starts by waiting; anything else is a part of its start. */
const HOPELESS: Readonly<Record<string, { readonly why: string; readonly remedy: string }>> = {
  ErrImagePull: {
    why: "its image cannot be had",
    remedy: "Check the name of the image, and the rights to it.",
  },
  ImagePullBackOff: {
    why: "its image cannot be had",
    remedy: "Check the name of the image, and the rights to it.",
  },
  InvalidImageName: { why: "its image has no valid name", remedy: "Deploy with another image." },
  CreateContainerConfigError: {
    why: "its container cannot be made",
    remedy: "Deploy the cluster again; something that it needs was deleted.",
  },
  CrashLoopBackOff: { why: "it ends whenever it is started", remedy: "Its log says why." },
};

/** Why a pod does not run, or has failed. UNAVAILABLE: it may still come to run by itself. */
export function problemOfPod(pod: Pod): Problem | undefined {
  const { name } = pod.metadata;
  const { phase, conditions = [], containerStatuses = [], message, reason } = pod.status ?? {};
  const [container] = containerStatuses;
  const waiting = container?.state?.waiting;
  const hopeless = HOPELESS[waiting?.reason ?? ""];
  if (hopeless) {
    const last = container?.lastState?.terminated;
    return defined({
      code: "FAILED_PRECONDITION",
      message: `Pod ${name} does not run: ${hopeless.why}.`,
      reason: waiting?.message ?? last?.message,
      remedy: hopeless.remedy,
      details:
        last === undefined ? undefined : `${last.reason ?? "Ended"} (exit code ${last.exitCode ?? "?"})`,
    }) as Problem;
  }
  const scheduling = conditions.find(({ type, status }) => type === "PodScheduled" && status === "False");
  if (scheduling) {
    return defined({
      code: "UNAVAILABLE",
      message: `No node has room for pod ${name} yet.`,
      reason: scheduling.message,
      remedy: "Ask for fewer cores, less memory or fewer GPUs, or add a node.",
    }) as Problem;
  }
  if (phase !== "Failed") return undefined;
  const ended = container?.state?.terminated;
  return defined({
    code: "ABORTED",
    message: `Pod ${name} has failed.`,
    reason: message ?? ended?.message ?? reason ?? ended?.reason,
    remedy: "Its log says more.",
  }) as Problem;
}
