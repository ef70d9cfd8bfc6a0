import { z } from "zod";
import { engineSchema, jobNameSchema, logLineSchema, machineSchema, taskStateSchema } from "./cluster.js";
import { method, nothing } from "./method.js";
import { problemSchema } from "./problem.js";

/** Names in Kubernetes. */
const kubeNameSchema = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/, "is no name of Kubernetes");

export const kubeContextSchema = z.object({
  name: z.string(),
  cluster: z.string(),
  /** URL of the API server. */
  server: z.string(),
  namespace: z.string().optional(),
  current: z.boolean(),
});

export const kubeTaskSchema = z.object({
  pod: z.string(),
  cluster: z.string(),
  job: z.string(),
  index: z.number().int().nonnegative(),
  container: z.string(),
  port: z.number().int(),
  state: taskStateSchema,
  node: z.string().optional(),
  restarts: z.number().int().nonnegative(),
  /** Milliseconds since the epoch. */
  startedAt: z.number().optional(),
  problem: problemSchema.optional(),
  usage: z.object({ cores: z.number(), memoryBytes: z.number() }).optional(),
  /** "grpc://127.0.0.1:40123": where sessions of this machine reach it. Absent: it is not forwarded. */
  target: z.string().optional(),
  /** Why the newest connection to it failed. */
  forwardProblem: problemSchema.optional(),
});
export type KubeTask = z.infer<typeof kubeTaskSchema>;

export const kubernetesStateSchema = z.object({
  /** Absent: not connected. */
  connection: z.object({ context: z.string(), server: z.string(), namespace: z.string() }).optional(),
  /** Why what is shown may be old. */
  problem: problemSchema.optional(),
  /** Whether the cluster has the metrics API. */
  measuresLoad: z.boolean().optional(),
  /** The cluster that graphs run on, in place of the machines' own; its nodes, with their tasks. */
  used: z.object({ cluster: z.string(), machines: z.array(machineSchema) }).optional(),
  clusters: z.array(
    z.object({
      name: z.string(),
      /** As deployed; empty if another program did. */
      jobs: z.array(z.object({ job: z.string(), replicas: z.number().int() })),
      tasks: z.array(kubeTaskSchema),
    }),
  ),
});
export type KubernetesState = z.infer<typeof kubernetesStateSchema>;

export const kubeTasksSchema = z
  .array(
    z.object({
      job: jobNameSchema,
      index: z.number().int().min(0).max(9999),
      engine: engineSchema.optional(),
      gpus: z.number().int().min(0).max(64).optional(),
    }),
  )
  .min(1)
  .max(512);

const podSchema = z.object({ pod: kubeNameSchema });

export const kubernetesMethods = {
  "kubernetes.get": method(nothing, kubernetesStateSchema),
  /** The contexts of a kubeconfig, of kubectl's own unless a path is given. */
  "kubernetes.contexts": method(
    z.object({ kubeconfig: z.string().min(1).max(4096).optional() }),
    z.array(kubeContextSchema),
  ),
  /** Connects to a namespace, in place of the one before. */
  "kubernetes.connect": method(
    z.object({
      kubeconfig: z.string().min(1).max(4096).optional(),
      context: z.string().min(1).max(300).optional(),
      namespace: kubeNameSchema.optional(),
    }),
    nothing,
  ),
  "kubernetes.disconnect": method(nothing, nothing),
  /** Creates or changes a cluster. The options are those of the export to Kubernetes. */
  "kubernetes.deploy": method(
    z.object({
      tasks: kubeTasksSchema,
      options: z.record(z.string().max(40), z.string().max(1000)),
      force: z.boolean().optional(),
    }),
    nothing,
  ),
  /** Restarts all tasks of the cluster. */
  "kubernetes.scale": method(
    z.object({ cluster: kubeNameSchema, job: jobNameSchema, replicas: z.number().int().min(1).max(512) }),
    nothing,
  ),
  "kubernetes.delete": method(z.object({ cluster: kubeNameSchema }), nothing),
  /** Resolves to where sessions of this machine reach the task: "grpc://127.0.0.1:40123". */
  "kubernetes.forward": method(podSchema, z.string()),
  "kubernetes.endForward": method(podSchema, nothing),
  /**
   * Runs graphs on a cluster in Kubernetes from now on, whose tasks are then followed here; without a name, on the
   * machines' own again.
   */
  "kubernetes.use": method(z.object({ cluster: kubeNameSchema.optional() }), nothing),
  /** Replaces a pod. Its task starts anew, and loses its variables. */
  "kubernetes.restart": method(podSchema, nothing),
  /** Clears the variables, queues and sessions of a task of the cluster that graphs run on. */
  "kubernetes.clearState": method(podSchema, nothing),
  /** Lines of such a task, after the last one that is known; later ones come as the event `taskLog`. */
  "kubernetes.taskLog": method(
    podSchema.extend({ afterSequence: z.number().int().min(-1) }),
    z.array(logLineSchema),
  ),
  /** The newest lines of a task's log. */
  "kubernetes.log": method(
    podSchema.extend({ lines: z.number().int().min(1).max(10_000), previous: z.boolean().optional() }),
    z.array(logLineSchema.pick({ at: true, text: true })),
  ),
} as const;

export const kubernetesEvents = {
  /** The whole state, after every change of it. */
  kubernetes: kubernetesStateSchema,
} as const;
