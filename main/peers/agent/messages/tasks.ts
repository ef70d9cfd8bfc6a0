/** Tasks and the orders for them, between the contract and the wire. */
import { z } from "zod";
import * as wire from "../../../../protos/generated/tensordeck/agent.js";
import type { ServerDef } from "../../../../protos/generated/tensorflow/tensorflow_server.js";
import { ClusterSpec } from "../../../../worker-runtime/cluster/cluster-spec.js";
import { makeServerDef } from "../../../../worker-runtime/cluster/server-def.js";
import {
  engineSchema,
  type GpuChoice,
  gpuChoiceSchema,
  jobNameSchema,
  type LogLine,
  logLineSchema,
  taskStateSchema,
} from "../../../api/cluster.js";
import type { TaskSample } from "../../../api/samples.js";
import { printableName, printableText } from "../../../shared/printable.js";
import { defined, problem, problemOf } from "../../../shared/problems.js";
import type { ClusterTasks } from "../../../tasks/launcher.js";
import type { FixedCluster, HostTask, TaskOrder } from "../../../tasks/task-host.js";
import { problemFromMessage, problemToMessage } from "./problem.js";

/** Tasks that one cluster may have; the same limit as for the contract's table. */
const MAX_CLUSTER_TASKS = 512;

/** More than any machine has. */
const MOST_DEVICES = 256;

const taskIdSchema = z
  .string()
  .regex(/^[\w-]{1,64}$/, "a task id is 1 to 64 letters, digits, dashes and underscores");
const jobSchema = jobNameSchema.max(64);
const indexSchema = z.number().int().min(0).max(9999);
const portSchema = z.number().int().min(0).max(65_535);

const orderSchema = z.object({
  taskId: taskIdSchema,
  job: jobSchema,
  index: indexSchema,
  engine: engineSchema,
  port: portSchema,
});

const placeSchema = z.object({
  id: taskIdSchema,
  job: jobSchema,
  index: indexSchema,
  port: portSchema.catch(0),
});

export function taskToMessage(task: HostTask): wire.Task {
  return wire.Task.fromPartial({
    id: task.id,
    job: task.job,
    index: task.index,
    port: task.port,
    engine: task.engine,
    gpu: gpuToMessage(task.gpu),
    state: task.state,
    pid: task.pid === undefined ? undefined : BigInt(task.pid),
    startedAt: task.startedAt === undefined ? undefined : whole(task.startedAt),
    devices: task.devices.map((device) => ({ ...device, memoryLimitBytes: whole(device.memoryLimitBytes) })),
    problem: task.problem && problemToMessage(task.problem),
    notice: task.notice && problemToMessage(task.notice),
    incarnation: task.incarnation,
    isolated: task.isolated,
    fixed: task.fixed,
    owner: task.owner,
  });
}

/**
 * A task as another machine describes it. Unknown states, from a newer version, count as unresponsive;
 * strings are made printable, and an invalid port counts as not chosen, because this machine would listen on
 * it for the task.
 *
 * @throws ProblemError INVALID_ARGUMENT when it could not be a task of a cluster.
 */
export function taskFromMessage(message: wire.Task): HostTask {
  const { pid, startedAt, devices, incarnation, isolated, fixed, owner } = message;
  return defined({
    ...checkedAs(placeSchema, message, "A task of another machine"),
    engine: engineSchema.catch("tensorflow").parse(message.engine),
    gpu: gpuChoiceSchema.catch("auto").parse(gpuFromMessage(message.gpu)),
    state: taskStateSchema.catch("unresponsive").parse(message.state),
    pid: pid === undefined ? undefined : Number(pid),
    startedAt: startedAt === undefined ? undefined : Number(startedAt),
    devices: devices.slice(0, MOST_DEVICES).map(({ name, type, memoryLimitBytes, description }) => ({
      name: printableText(name),
      type: printableName(type),
      memoryLimitBytes: Number(memoryLimitBytes),
      description: printableText(description),
    })),
    problem: message.problem && problemFromMessage(message.problem),
    notice: message.notice && problemFromMessage(message.notice),
    incarnation: incarnation === undefined ? undefined : printableName(incarnation),
    isolated,
    fixed,
    owner: printableName(owner),
  });
}

export function taskSampleToMessage(taskId: string, sample: TaskSample): wire.TaskMetrics {
  const { at, cpuPercent, memoryBytes, gpuMemoryBytes } = sample;
  return {
    taskId,
    at: whole(at),
    cpuPercent,
    memoryBytes: whole(memoryBytes),
    gpuMemoryBytes: gpuMemoryBytes === undefined ? undefined : whole(gpuMemoryBytes),
  };
}

export function taskSampleFromMessage(message: wire.TaskMetrics): TaskSample {
  const { at, cpuPercent, memoryBytes, gpuMemoryBytes } = message;
  return defined({
    at: Number(at),
    cpuPercent,
    memoryBytes: Number(memoryBytes),
    gpuMemoryBytes: gpuMemoryBytes === undefined ? undefined : Number(gpuMemoryBytes),
  });
}

export function orderToMessage(order: TaskOrder): wire.StartTaskRequest {
  const { taskId, job, index, engine, gpu, port, fixed, isolate } = order;
  return wire.StartTaskRequest.fromPartial({
    taskId,
    job,
    index,
    engine,
    gpu: gpuToMessage(gpu),
    port,
    serverDef: fixed && serverDefOf(fixed, job, index),
    isolate,
  });
}

/**
 * An order as it came from another machine.
 *
 * @param owner device ID of that machine.
 * @throws ProblemError INVALID_ARGUMENT
 */
export function orderFromMessage(message: wire.StartTaskRequest, owner: string): TaskOrder {
  const checked = checkedAs(orderSchema, message, "The order of a task");
  const { serverDef } = message;
  const fixed = serverDef && fixedClusterOf(serverDef);
  if (serverDef && (serverDef.jobName !== checked.job || serverDef.taskIndex !== checked.index)) {
    throw problem("INVALID_ARGUMENT", "The order of a task names two positions for it.", {
      details: `${checked.job}/${checked.index} and ${serverDef.jobName}/${serverDef.taskIndex}`,
    });
  }
  const gpu = checkedAs(gpuChoiceSchema, gpuFromMessage(message.gpu), "The choice of GPUs");
  return { ...checked, gpu, isolate: message.isolate, owner, ...(fixed && { fixed }) };
}

/** @throws TensorFlowError INVALID_ARGUMENT when the cluster has no such task. */
export function serverDefOf(fixed: FixedCluster, job: string, index: number): ServerDef {
  return makeServerDef({ cluster: ClusterSpec.from(fixed.cluster), jobName: job, taskIndex: index });
}

/** @throws ProblemError INVALID_ARGUMENT when the cluster cannot be one. */
export function fixedClusterOf(serverDef: ServerDef): FixedCluster {
  try {
    const spec = ClusterSpec.from(serverDef.cluster ?? { job: [] });
    spec.validate();
    const cluster: Record<string, Record<number, string>> = {};
    for (const { job, index, address } of spec.tasks()) {
      cluster[job] = { ...cluster[job], [index]: address };
    }
    const count = Object.values(cluster).reduce((sum, tasks) => sum + Object.keys(tasks).length, 0);
    if (count === 0 || count > MAX_CLUSTER_TASKS) {
      throw problem("INVALID_ARGUMENT", `A cluster has 1 to ${MAX_CLUSTER_TASKS} tasks, not ${count}.`);
    }
    return { cluster: cluster satisfies ClusterTasks };
  } catch (error) {
    throw problem("INVALID_ARGUMENT", "The cluster of the order cannot be used.", {
      reason: problemOf(error).message,
    });
  }
}

function gpuToMessage(gpu: GpuChoice): wire.GpuChoice {
  if (gpu === "auto" || gpu === "none") return { choice: { $case: gpu, value: {} } };
  return { choice: { $case: "indices", value: { index: gpu } } };
}

function gpuFromMessage(message: wire.GpuChoice | undefined): GpuChoice {
  const choice = message?.choice;
  return choice?.$case === "indices" ? choice.value.index : (choice?.$case ?? "auto");
}

export function lineToMessage(line: LogLine): wire.LogLine {
  return wire.LogLine.create({ ...line, sequence: BigInt(line.sequence), at: whole(line.at) });
}

export function lineFromMessage({ sequence, at, level, text }: wire.LogLine): LogLine {
  return {
    sequence: Number(sequence),
    at: Number(at),
    level: logLineSchema.shape.level.catch("info").parse(level),
    text: printableText(text),
  };
}

/** @throws ProblemError INVALID_ARGUMENT */
function checkedAs<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw problem("INVALID_ARGUMENT", `${what} cannot be used.`, {
    reason: issue && `${issue.path.join(".")}: ${issue.message}`,
  });
}

function whole(value: number): bigint {
  return BigInt(Math.round(value));
}
