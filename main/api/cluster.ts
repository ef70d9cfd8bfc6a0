import { z } from "zod";
import { problemSchema } from "./problem.js";

export const engineSchema = z.enum(["tensorflow", "portable"]);
export type Engine = z.infer<typeof engineSchema>;

/** A job name as TensorFlow accepts it: a letter, then letters, digits and underscores. */
export const jobNameSchema = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]*$/, "a job name is a letter followed by letters, digits or underscores");

export const deviceSchema = z.object({
  /** Full name: "/job:worker/replica:0/task:0/device:CPU:0". */
  name: z.string(),
  type: z.string(),
  /** Bytes that the device may allocate. */
  memoryLimitBytes: z.number(),
  /** TensorFlow's physical description, e.g. the name of the GPU; empty for a CPU. */
  description: z.string(),
});
export type Device = z.infer<typeof deviceSchema>;

/**
 * starting: its process runs but does not yet answer. running: GetStatus is answered. unresponsive: the process lives
 * but GetStatus is not answered. stopping: asked to end. stopped: ended because the user wanted it. failed: ended by
 * itself or could not start; `problem` says why.
 */
export const taskStateSchema = z.enum([
  "starting",
  "running",
  "unresponsive",
  "stopping",
  "stopped",
  "failed",
]);
export type TaskState = z.infer<typeof taskStateSchema>;

export const taskMetricsSchema = z.object({
  /** Milliseconds since the epoch. */
  at: z.number(),
  /** Share of one core, in percent: 200 is two cores busy. */
  cpuPercent: z.number(),
  /** Resident memory of the task's process. */
  memoryBytes: z.number(),
});
export type TaskMetrics = z.infer<typeof taskMetricsSchema>;

export const taskSchema = z.object({
  id: z.string(),
  job: z.string(),
  index: z.number().int().nonnegative(),
  /** host:port at which the task answers; empty until its port is chosen. */
  address: z.string(),
  engine: engineSchema,
  state: taskStateSchema,
  pid: z.number().int().optional(),
  /** Milliseconds since the epoch. */
  startedAt: z.number().optional(),
  /** Position in the palette of task colours, 0-based, kept for the life of the task. */
  colour: z.number().int().nonnegative(),
  devices: z.array(deviceSchema),
  /** Newest last; at most 60 samples. */
  metrics: z.array(taskMetricsSchema),
  problem: problemSchema.optional(),
  /** A warning that does not stop the task, e.g. a GPU that is there but not used. */
  notice: problemSchema.optional(),
});
export type Task = z.infer<typeof taskSchema>;

export const machineSchema = z.object({
  id: z.string(),
  name: z.string(),
  isThisMachine: z.boolean(),
  /** "linux", "darwin" or "win32". */
  platform: z.string(),
  cores: z.number().int(),
  memoryBytes: z.number(),
  gpus: z.array(z.object({ name: z.string(), memoryBytes: z.number() })),
  tasks: z.array(taskSchema),
});
export type Machine = z.infer<typeof machineSchema>;

/**
 * dynamic: every task starts alone and the session carries the ClusterSpec, so tasks come and go freely.
 * fixed: every task is started with the whole ClusterSpec, so that stock scripts can use the cluster unchanged.
 */
export const membershipSchema = z.enum(["dynamic", "fixed"]);
export type Membership = z.infer<typeof membershipSchema>;

export const clusterStateSchema = z.object({
  membership: membershipSchema,
  /** What happened to the cluster as a whole, e.g. that tasks were restarted because one was added. */
  notice: problemSchema.optional(),
  machines: z.array(machineSchema),
});
export type ClusterState = z.infer<typeof clusterStateSchema>;

export const logLineSchema = z.object({
  /** Counts up from 0 within one task, so that a client can ask for what it has not seen. */
  sequence: z.number().int().nonnegative(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  level: z.enum(["info", "warning", "error"]),
  text: z.string(),
});
export type LogLine = z.infer<typeof logLineSchema>;

export const addTasksSchema = z.object({
  job: jobNameSchema,
  count: z.number().int().min(1).max(16),
  /** Left out: the best engine that this machine has. */
  engine: engineSchema.optional(),
});
export const taskIdSchema = z.object({ taskId: z.string() });
