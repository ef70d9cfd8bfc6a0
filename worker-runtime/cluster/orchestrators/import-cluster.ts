/** Clusters in the files of other systems. */
import { invalidArgument, TensorFlowError } from "../../protocol/status.js";
import { assignedTfConfig, parseClusterText } from "../cluster-exchange.js";
import type { ClusterSpec } from "../cluster-spec.js";
import type { FoundCluster } from "./found-cluster.js";
import { clusterOfCompose } from "./import-compose.js";
import { clusterOfConfigMap, clusterOfTfJob, findTfJob, manifestsIn } from "./import-kubernetes.js";
import { clusterOfFlagsScript, clusterOfTfConfigScript } from "./import-shell.js";
import { isRecord } from "./json-values.js";
import { readYaml } from "./read-yaml.js";

/** cluster-file: a clusterspec.json or a TF_CONFIG. */
export type ClusterSource = "cluster-file" | "compose" | "kubernetes" | "tfjob" | "shell";

export interface ImportedCluster extends FoundCluster {
  readonly source: ClusterSource;
}

/** Files of this size are no clusters; YAML of more takes long to read. */
const MAX_CHARACTERS = 4_000_000;

/**
 * Reads a clusterspec.json, a TF_CONFIG, a shell script that sets it or starts tasks with --ps_hosts and --worker_hosts, a
 * Docker Compose file, a TFJob, or the manifests that an export has written; YAML also as JSON. Addresses are not checked:
 * some are names that only containers know.
 *
 * @param name of the text, for errors.
 * @throws TensorFlowError INVALID_ARGUMENT if it is none of these, or describes no cluster.
 */
export function importCluster(text: string, name = "The text"): ImportedCluster {
  if (text.length > MAX_CHARACTERS) throw invalidArgument(`${name} is too large for a cluster's file.`);
  const trimmed = text.trim();
  const assigned = assignedTfConfig(trimmed);
  const json = jsonValue(assigned ?? trimmed);
  if (isRecord(json)) return inDocuments([json]) ?? found("cluster-file", parseClusterText(trimmed, name));
  const documents = yamlDocuments(text, name);
  const described = documents instanceof TensorFlowError ? undefined : inDocuments(documents);
  if (described !== undefined) return described;
  const script = clusterOfTfConfigScript(trimmed);
  if (script !== undefined) return found("shell", script);
  if (trimmed.startsWith("{") || assigned !== undefined)
    return found("cluster-file", parseClusterText(trimmed, name));
  const started = clusterOfFlagsScript(trimmed);
  if (started !== undefined) return found("shell", started);
  if (documents instanceof TensorFlowError) throw documents;
  throw invalidArgument(
    `${name} describes no cluster: it is no clusterspec.json, no TF_CONFIG, no Docker Compose file, no TFJob, and no script that sets TF_CONFIG or --worker_hosts.`,
  );
}

function found(source: ClusterSource, cluster: ClusterSpec): ImportedCluster {
  return { source, cluster, notes: [] };
}

function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The cluster of the manifests or the Compose file among the documents; undefined if there is none. */
function inDocuments(documents: readonly unknown[]): ImportedCluster | undefined {
  const manifests = manifestsIn(documents);
  const tfJob = findTfJob(manifests);
  if (tfJob !== undefined) return { source: "tfjob", ...clusterOfTfJob(tfJob) };
  const cluster = clusterOfConfigMap(manifests);
  if (cluster !== undefined) return found("kubernetes", cluster);
  const compose = manifests.find(
    ({ services }) => isRecord(services) && Object.values(services).some(isRecord),
  );
  return compose && { source: "compose", ...clusterOfCompose(compose) };
}

/** The documents, or why the text is none of YAML. */
function yamlDocuments(text: string, name: string): unknown[] | TensorFlowError {
  try {
    return readYaml(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    return invalidArgument(`${name} is neither JSON nor YAML that can be read (${why}).`, { cause });
  }
}
