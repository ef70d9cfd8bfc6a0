import { invalidArgument } from "../protocol/status.js";
import { ClusterSpec } from "./cluster-spec.js";
import type { TaskName } from "./device-name.js";

/** The parsed environment variable TF_CONFIG. */
export interface TfConfig {
  /** Without jobs when TF_CONFIG names no cluster. */
  readonly cluster: ClusterSpec;
  /** The task of this process; absent if TF_CONFIG does not name it. */
  readonly task: TaskName | undefined;
  /** "grpc" or another protocol; absent when not given. */
  readonly rpcLayer: string | undefined;
  /** A target that is to be used instead of the task's own address. */
  readonly sessionMaster: string | undefined;
  /** "cloud" on some platforms; unused here. */
  readonly environment: string | undefined;
}

/** The evaluator watches from outside: it is a task's type without being a member of the cluster. */
const EVALUATOR = "evaluator";

type Json = Readonly<Record<string, unknown>>;

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parse(json: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw invalidArgument(
      `TF_CONFIG is not valid JSON (${why}). It looks like {"cluster": {"worker": ["host:port"]}, "task": {"type": "worker", "index": 0}}.`,
      { cause },
    );
  }
  if (!isJson(value)) {
    throw invalidArgument('TF_CONFIG must be a JSON object with "cluster" and "task".');
  }
  return value;
}

function text(config: Json, key: string): string | undefined {
  const value = config[key];
  if (value !== undefined && value !== null && typeof value !== "string") {
    throw invalidArgument(`"${key}" of TF_CONFIG must be a string.`);
  }
  return value ?? undefined;
}

function taskOf(config: Json): TaskName | undefined {
  const task = config.task;
  if (task === undefined || task === null) {
    return undefined;
  }
  if (!isJson(task)) {
    throw invalidArgument('"task" of TF_CONFIG must be an object with "type" and "index".');
  }
  if (task.type === undefined && task.index === undefined) {
    return undefined;
  }
  const job = text(task, "type");
  // Kubernetes operators and shell scripts write the index as a string, and TensorFlow's resolver takes int() of it.
  const index = typeof task.index === "string" ? Number(task.index) : (task.index ?? 0);
  if (job === undefined) {
    throw invalidArgument('"task" of TF_CONFIG has an index but no "type".');
  }
  if (typeof index !== "number" || !Number.isInteger(index) || index < 0) {
    throw invalidArgument(
      `"index" in "task" of TF_CONFIG must be a whole number from 0, not ${JSON.stringify(task.index)}.`,
    );
  }
  return { job, index };
}

/**
 * Reads TF_CONFIG as TensorFlow's TFConfigClusterResolver does, and checks that the task is one of the cluster.
 * @param json the value of the variable; empty counts as `{}`.
 * @throws TensorFlowError INVALID_ARGUMENT when it is not JSON, or inconsistent.
 */
export function parseTfConfig(json: string): TfConfig {
  const config = json.trim() === "" ? {} : parse(json);
  const cluster = clusterOf(config);
  const task = taskOf(config);
  if (
    task !== undefined &&
    !cluster.isEmpty &&
    task.job !== EVALUATOR &&
    !cluster.has(task.job, task.index)
  ) {
    const known = cluster.tasks().map(({ job, index }) => `${job}/${index}`);
    throw invalidArgument(
      `TF_CONFIG says that this is task ${task.index} of job '${task.job}', which its cluster does not have ` +
        `(it has ${known.join(", ")}).`,
    );
  }
  return {
    cluster,
    task,
    rpcLayer: text(config, "rpc_layer"),
    sessionMaster: text(config, "session_master"),
    environment: text(config, "environment"),
  };
}

function clusterOf(config: Json): ClusterSpec {
  const cluster = config.cluster;
  if (cluster === undefined || cluster === null) {
    return ClusterSpec.from({});
  }
  if (!isJson(cluster)) {
    throw invalidArgument('"cluster" of TF_CONFIG must be an object from job names to lists of addresses.');
  }
  // from() checks every job itself, and says which one is wrong.
  return ClusterSpec.from(cluster as Record<string, string[]>);
}

/**
 * True when the task leads: the chief (or "master", its name before TensorFlow 2), or the first worker of a cluster that
 * has neither.
 */
export function isChief({ cluster, task }: Pick<TfConfig, "cluster" | "task">): boolean {
  if (task === undefined || cluster.isEmpty) {
    return true;
  }
  if (task.job === "chief" || task.job === "master") {
    return true;
  }
  const hasChief = cluster.jobs.includes("chief") || cluster.jobs.includes("master");
  return !hasChief && task.job === "worker" && task.index === 0;
}

/** True for the evaluator, which runs beside the cluster and starts no server in it. */
export function isEvaluator({ task }: Pick<TfConfig, "task">): boolean {
  return task?.job === EVALUATOR;
}
