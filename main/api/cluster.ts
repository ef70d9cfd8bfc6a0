import { z } from "zod";
import { discoveryStateSchema, machineFactsSchema } from "./machines.js";
import { method, nothing } from "./method.js";
import { problemSchema } from "./problem.js";
import { samplesSchema } from "./samples.js";

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

/**
 * Which GPUs of its machine a task sees: those that suit its job, none, or specific ones by nvidia-smi's
 * index.
 */
export const gpuChoiceSchema = z.union([
  z.enum(["auto", "none"]),
  z.array(z.number().int().nonnegative()).min(1).max(16),
]);
export type GpuChoice = z.infer<typeof gpuChoiceSchema>;

export const taskSchema = z.object({
  id: z.string(),
  job: z.string(),
  index: z.number().int().nonnegative(),
  /** host:port as in the ClusterSpec; empty until its port is chosen. */
  address: z.string(),
  engine: engineSchema,
  gpu: gpuChoiceSchema,
  /**
   * A TensorFlow server that was started outside Tensordeck: it can be used and inspected, not started or
   * stopped.
   */
  foreign: z.boolean(),
  /** Name of its pod, if it runs in Kubernetes: it is foreign, and controlled through Kubernetes. */
  pod: z.string().optional(),
  state: taskStateSchema,
  /** Its machine does not answer: nothing can be asked of it, and its state is the last that was reported. */
  unreachable: z.boolean().optional(),
  pid: z.number().int().optional(),
  /** Milliseconds since the epoch. */
  startedAt: z.number().optional(),
  /** 0-based index into the palette of task colours, kept for the life of the task. */
  colour: z.number().int().nonnegative(),
  devices: z.array(deviceSchema),
  /** Why it cannot be started, stopped or cleared from here. */
  locked: problemSchema.optional(),
  problem: problemSchema.optional(),
  /** A warning that does not stop the task, e.g. a GPU that exists but is not used. */
  notice: problemSchema.optional(),
});
export type Task = z.infer<typeof taskSchema>;

export const machineSchema = machineFactsSchema.extend({ tasks: z.array(taskSchema) });
export type Machine = z.infer<typeof machineSchema>;

/**
 * dynamic: every task starts alone and the session carries the ClusterSpec, so tasks come and go freely.
 * fixed: every task is started with the whole ClusterSpec, so that stock scripts can use the cluster unchanged.
 */
export const membershipSchema = z.enum(["dynamic", "fixed"]);
export type Membership = z.infer<typeof membershipSchema>;

/**
 * secure: between paired machines only. Every task has a unique port, the ClusterSpec names all of them on 127.0.0.1,
 * and the agents carry the connections through mutual TLS. open: plain gRPC on the network, which any TensorFlow can
 * use without signing in.
 */
export const accessSchema = z.enum(["secure", "open"]);
export type Access = z.infer<typeof accessSchema>;

/** The port at which a stock script without a ClusterSpec uses the cluster. */
export const gatewaySchema = z.object({
  /** "grpc://127.0.0.1:2300" */
  target: z.string(),
  /** Why it does not listen. */
  problem: problemSchema.optional(),
});
export type Gateway = z.infer<typeof gatewaySchema>;

export const clusterStateSchema = z.object({
  membership: membershipSchema,
  access: accessSchema,
  /** Reasons why the cluster is less closed than `access` says, e.g. a raw port that the network reaches. */
  exposures: z.array(problemSchema),
  gateway: gatewaySchema.optional(),
  discovery: discoveryStateSchema,
  /** Notices about the cluster as a whole, e.g. that tasks were restarted because one was added. */
  notice: problemSchema.optional(),
  machines: z.array(machineSchema),
  /** Number of unpaired, announced machines beyond the listed ones. Absent: none. */
  unlistedMachines: z.number().int().positive().optional(),
});
export type ClusterState = z.infer<typeof clusterStateSchema>;

export const logLineSchema = z.object({
  /** Counts up from 0 within one task, so that a client can request what it has not seen. */
  sequence: z.number().int().nonnegative(),
  /** Milliseconds since the epoch. */
  at: z.number(),
  level: z.enum(["info", "warning", "error"]),
  text: z.string(),
});
export type LogLine = z.infer<typeof logLineSchema>;

export const addTasksSchema = z.object({
  /** Left out: this machine. */
  machineId: z.string().optional(),
  job: jobNameSchema,
  count: z.number().int().min(1).max(16),
  /** Left out: the lowest free ones. With several tasks, the index of the first. */
  index: z.number().int().min(0).max(9999).optional(),
  /** Left out: the best engine that the machine has. */
  engine: engineSchema.optional(),
  /** Left out: "auto". */
  gpu: gpuChoiceSchema.optional(),
});
export type AddTasks = z.infer<typeof addTasksSchema>;

export const taskIdSchema = z.object({ taskId: z.string() });

/** A running TensorFlow server to be used as this task of the cluster. */
export const addForeignSchema = z.object({
  /** "host:port" */
  address: z.string().trim().min(1).max(300),
  job: jobNameSchema,
  /** Left out: the lowest that is free. */
  index: z.number().int().min(0).max(9999).optional(),
});
export type AddForeign = z.infer<typeof addForeignSchema>;

/** One row of the edited cluster table. */
export const clusterRowSchema = z.object({
  /** The row's task; absent for a new one. */
  taskId: z.string().optional(),
  job: jobNameSchema,
  index: z.number().int().min(0).max(9999),
  /** Machine that runs it; absent for a foreign server. */
  machineId: z.string().optional(),
  /** "host:port"; left out: chosen automatically. For one of our machines only the port is used. */
  address: z.string().max(300).optional(),
  engine: engineSchema,
  gpu: gpuChoiceSchema,
});
export type ClusterRow = z.infer<typeof clusterRowSchema>;

export const clusterMethods = {
  "cluster.get": method(nothing, clusterStateSchema),
  /**
   * Adds tasks to a job on a machine and starts them. Resolves when they are listed, not when they are up.
   */
  "cluster.addTasks": method(addTasksSchema, z.array(z.string())),
  /** Adds a running TensorFlow server; resolves to its task id once the server has answered. */
  "cluster.addForeign": method(addForeignSchema, z.string()),
  /**
   * Changes the tasks to match the table: removes, adds and restarts. Called after the window has shown the changes.
   */
  "cluster.applyTable": method(z.object({ rows: z.array(clusterRowSchema).max(512) }), nothing),
  /** Opening a cluster is confirmed in the window first. Restarts the tasks whose addresses change. */
  "cluster.setAccess": method(z.object({ access: accessSchema }), nothing),
  /** Clears a task's variables, queues and sessions (Reset of all containers). */
  "cluster.clearState": method(taskIdSchema, nothing),
  "cluster.startTask": method(taskIdSchema, nothing),
  "cluster.stopTask": method(taskIdSchema, nothing),
  "cluster.restartTask": method(taskIdSchema, nothing),
  /** Stops a task and removes it from the list. */
  "cluster.removeTask": method(taskIdSchema, nothing),
  /** Restarts every task under the new membership. */
  "cluster.setMembership": method(z.object({ membership: membershipSchema }), nothing),
  "cluster.taskLog": method(
    z.object({ taskId: z.string(), afterSequence: z.number().int().min(-1) }),
    z.array(logLineSchema),
  ),
} as const;

export const clusterEvents = {
  /** The whole state, after every change of it. */
  cluster: clusterStateSchema,
  /** Samples, once a second while there is anything to sample. */
  samples: samplesSchema,
  taskLog: z.object({ taskId: z.string(), lines: z.array(logLineSchema) }),
} as const;
