/** Python scripts that use a cluster, ready to be copied: what a user would otherwise write after reading three guides. */
import { tfConfigJson } from "./cluster-exchange.js";
import type { ClusterSpec } from "./cluster-spec.js";
import { taskText } from "./device-name.js";

/**
 * session: a TensorFlow 1 session that carries the ClusterSpec itself. gateway: the same with nothing but an address.
 * tf-config: what a script of a fixed cluster has in its environment. coordinator: TensorFlow 2's parameter server
 * training, coordinated from the script.
 */
export type PythonScriptKind = "session" | "gateway" | "tf-config" | "coordinator";

export interface PythonScriptInput {
  readonly cluster: ClusterSpec;
  /** Task whose master runs the session. */
  readonly master: { readonly job: string; readonly index: number };
  /** "grpc://127.0.0.1:2300"; absent while there is no gateway. */
  readonly gatewayTarget?: string;
}

/** Why a kind of script is unsuitable for the cluster, as a sentence; undefined if it is suitable. */
export function pythonScriptProblem(kind: PythonScriptKind, input: PythonScriptInput): string | undefined {
  const { cluster, gatewayTarget } = input;
  if (cluster.isEmpty) return "The cluster has no tasks yet.";
  if (kind === "gateway" && gatewayTarget === undefined) return "The gateway does not listen.";
  if (kind !== "coordinator") return undefined;
  const missing = ["ps", "worker"].filter((job) => !cluster.jobs.includes(job));
  return missing.length === 0
    ? undefined
    : `A coordinator needs the jobs ps and worker; this cluster has no ${missing.join(" and no ")}.`;
}

/** The whole script, ending in a newline. */
export function pythonScript(kind: PythonScriptKind, input: PythonScriptInput): string {
  switch (kind) {
    case "session":
      return sessionScript(input);
    case "gateway":
      return gatewayScript(input);
    case "tf-config":
      return tfConfigScript(input);
    case "coordinator":
      return coordinatorScript(input);
  }
}

/** A dictionary as Python writes it: JSON is a subset of Python here, except that a sparse job's indices are integers. */
export function pythonCluster(cluster: ClusterSpec, indent: string): string {
  const jobs = Object.entries(cluster.asDict()).map(([job, tasks]) => {
    if (Array.isArray(tasks)) return `${indent}    ${JSON.stringify(job)}: ${pythonList(tasks)},\n`;
    const sparse = Object.entries(tasks).map(([index, address]) => `${index}: ${JSON.stringify(address)}`);
    return `${indent}    ${JSON.stringify(job)}: {${sparse.join(", ")}},\n`;
  });
  return `{\n${jobs.join("")}${indent}}`;
}

function pythonList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(", ")}]`;
}

function graphLines(devices: readonly string[]): string {
  const [first = "", second = first] = devices;
  return `with tf.device("${first}"):
    x = tf.constant(3.0) + tf.constant(2.0)
with tf.device("${second}"):
    z = x * 2.0
`;
}

function devicesOf(cluster: ClusterSpec): string[] {
  return cluster.tasks().map(taskText);
}

function sessionScript({ cluster, master }: PythonScriptInput): string {
  return `import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_eager_execution()

cluster = tf.train.ClusterSpec(${pythonCluster(cluster, "")})
config = tf1.ConfigProto(cluster_def=cluster.as_cluster_def(), allow_soft_placement=True)
# Variables then live in the tasks and are shared by every session.
config.experimental.share_session_state_in_clusterspec_propagation = True

${graphLines(devicesOf(cluster))}
target = "grpc://${cluster.taskAddress(master.job, master.index)}"
with tf1.Session(target, config=config) as session:
    print(session.run(z))
`;
}

function gatewayScript({ cluster, gatewayTarget = "" }: PythonScriptInput): string {
  return `import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_eager_execution()

${graphLines(devicesOf(cluster))}
# The gateway of Tensordeck knows the cluster, also when it grows.
with tf1.Session("${gatewayTarget}") as session:
    print(session.run(z))
`;
}

function tfConfigScript({ cluster, master }: PythonScriptInput): string {
  return `import json
import os

os.environ["TF_CONFIG"] = json.dumps(
    ${tfConfigJson(cluster, master.job, master.index)}
)

import tensorflow as tf

resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
print(resolver.cluster_spec().as_dict())
print(resolver.master(task_type="${master.job}", task_id=${master.index}, rpc_layer="grpc"))
`;
}

function coordinatorScript({ cluster }: PythonScriptInput): string {
  return `import tensorflow as tf

cluster = tf.train.ClusterSpec(${pythonCluster(cluster, "")})
resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(cluster, rpc_layer="grpc")
strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)

with strategy.scope():
    v = tf.Variable(0.0)


@tf.function
def step():
    v.assign_add(1.0)
    return v.read_value()


results = [coordinator.schedule(step) for _ in range(10)]
coordinator.join()
print(v.read_value().numpy(), "on", v.device)
`;
}
