/** The cluster that manifests describe: a TFJob, or the ConfigMap of our own export. */
import { invalidArgument } from "../../protocol/status.js";
import { ClusterSpec } from "../cluster-spec.js";
import type { FoundCluster } from "./found-cluster.js";
import { isRecord, type Json } from "./json-values.js";
import { REPLICA_TYPES, TFJOB_CONTAINER, TFJOB_PORT_NAME } from "./tfjob.js";

const DEFAULT_PORT = 2222;
const DEFAULT_NAMESPACE = "default";
/** Watches the cluster from outside, so the operator leaves it out of TF_CONFIG's cluster. */
const OUTSIDE = "evaluator";

/** The manifests of a file, and those of its lists, as `kubectl get` prints them. */
export function manifestsIn(documents: readonly unknown[]): Json[] {
  return documents
    .filter(isRecord)
    .flatMap((document) => (isList(document) ? manifestsIn(document.items) : [document]));
}

function isList(document: Json): document is Json & { readonly items: readonly unknown[] } {
  return typeof document.kind === "string" && document.kind.endsWith("List") && Array.isArray(document.items);
}

/**
 * The TFJob among the manifests of a file.
 * @throws TensorFlowError INVALID_ARGUMENT if there are several.
 */
export function findTfJob(manifests: readonly Json[]): Json | undefined {
  const [found, ...others] = manifests.filter(({ kind }) => kind === "TFJob");
  if (others.length > 0) {
    throw invalidArgument(`The file has ${others.length + 1} TFJobs. Keep the one whose cluster is meant.`);
  }
  return found;
}

/**
 * The ClusterSpec that Kubeflow's operator gives to the tasks of a TFJob: NAME-worker-0.NAMESPACE.svc:PORT.
 * @throws TensorFlowError INVALID_ARGUMENT if it is no valid TFJob.
 */
export function clusterOfTfJob({ metadata, spec }: Json): FoundCluster {
  const name = isRecord(metadata) && typeof metadata.name === "string" ? metadata.name : undefined;
  const replicaSpecs = isRecord(spec) ? spec.tfReplicaSpecs : undefined;
  if (name === undefined || !isRecord(replicaSpecs)) {
    throw invalidArgument("The TFJob needs metadata.name and spec.tfReplicaSpecs.");
  }
  const namespace =
    isRecord(metadata) && typeof metadata.namespace === "string" ? metadata.namespace : DEFAULT_NAMESPACE;
  const jobs: Record<string, string[]> = {};
  const notes: string[] = [];
  for (const [type, replica] of Object.entries(replicaSpecs)) {
    // The operator does not distinguish case either.
    const job = Object.keys(REPLICA_TYPES).find((known) => known === type.toLowerCase());
    if (job === undefined) {
      throw invalidArgument(
        `The TFJob has replicas of type ${type}; known are ${Object.values(REPLICA_TYPES).join(", ")}.`,
      );
    }
    const { replicas = 1 } = isRecord(replica) ? replica : {};
    if (typeof replicas !== "number" || !Number.isInteger(replicas) || replicas < 0 || replicas > 10_000) {
      throw invalidArgument(`The number of replicas of ${type} is not a whole number: ${String(replicas)}.`);
    }
    if (job === OUTSIDE || replicas === 0) continue;
    const port = portOf(replica);
    if (port === undefined)
      notes.push(`${type} has no port ${TFJOB_PORT_NAME}; ${DEFAULT_PORT} is what the operator takes then.`);
    jobs[job] = Array.from(
      { length: replicas },
      (_, index) => `${name}-${job}-${index}.${namespace}.svc:${port ?? DEFAULT_PORT}`,
    );
  }
  return { cluster: ClusterSpec.from(jobs), notes };
}

function portOf(replica: unknown): number | undefined {
  const template = isRecord(replica) ? replica.template : undefined;
  const pod = isRecord(template) ? template.spec : undefined;
  const containers = isRecord(pod) && Array.isArray(pod.containers) ? pod.containers.filter(isRecord) : [];
  const { ports } = containers.find((container) => container.name === TFJOB_CONTAINER) ?? {};
  const named = Array.isArray(ports)
    ? ports.filter(isRecord).find((port) => port.name === TFJOB_PORT_NAME)
    : undefined;
  return typeof named?.containerPort === "number" ? named.containerPort : undefined;
}

/** The ClusterSpec in the ConfigMap that `tensordeck export --to kubernetes` writes; undefined if there is none. */
export function clusterOfConfigMap(manifests: readonly Json[]): ClusterSpec | undefined {
  for (const { kind, data } of manifests) {
    const text = kind === "ConfigMap" && isRecord(data) ? data["cluster.json"] : undefined;
    if (typeof text !== "string") continue;
    const cluster: unknown = JSON.parse(text);
    // from() checks every job itself, and says which one is wrong.
    if (isRecord(cluster)) return ClusterSpec.from(cluster as Record<string, string[]>);
  }
  return undefined;
}
