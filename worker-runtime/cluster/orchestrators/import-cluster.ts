/** Clusters in the files of other systems. */
import { parseAllDocuments } from "yaml";
import { invalidArgument, TensorFlowError } from "../../protocol/status.js";
import { parseClusterText } from "../cluster-exchange.js";
import type { ClusterSpec } from "../cluster-spec.js";
import { parseTfConfig } from "../tf-config.js";
import { clusterOfCompose } from "./import-compose.js";
import { clusterOfConfigMap, clusterOfTfJob, findTfJob } from "./import-kubernetes.js";
import { isRecord } from "./json-values.js";

/** cluster-file: a clusterspec.json or a TF_CONFIG. */
export type ClusterSource = "cluster-file" | "compose" | "kubernetes" | "tfjob" | "shell";

export interface ImportedCluster {
  readonly cluster: ClusterSpec;
  readonly source: ClusterSource;
}

/** Files of this size are no clusters; YAML of more takes long to read. */
const MAX_CHARACTERS = 4_000_000;

/**
 * Reads a clusterspec.json, a TF_CONFIG, a shell script that sets it, a Docker Compose file, a TFJob, or the manifests
 * that an export has written. Addresses are not checked: some are names that only containers know.
 *
 * @param name of the text, for errors.
 * @throws TensorFlowError INVALID_ARGUMENT if it is none of these, or describes no cluster.
 */
export function importCluster(text: string, name = "The text"): ImportedCluster {
  if (text.length > MAX_CHARACTERS) throw invalidArgument(`${name} is too large for a cluster's file.`);
  const trimmed = text.trim();
  if (trimmed.startsWith("{") || /^(?:export\s+|set\s+|\$env:)?TF_CONFIG\s*=\s*['"]?\{[^#]*$/.test(trimmed)) {
    return { cluster: parseClusterText(text, name), source: "cluster-file" };
  }
  const script = clusterOfScript(trimmed);
  if (script !== undefined) return { cluster: script, source: "shell" };
  const documents = yamlDocuments(text, name);
  const tfJob = findTfJob(documents);
  if (tfJob !== undefined) return { cluster: clusterOfTfJob(tfJob), source: "tfjob" };
  const manifests = clusterOfConfigMap(documents);
  if (manifests !== undefined) return { cluster: manifests, source: "kubernetes" };
  const compose = documents.filter(isRecord).find((document) => "services" in document);
  if (compose !== undefined) return { cluster: clusterOfCompose(compose), source: "compose" };
  throw invalidArgument(
    `${name} describes no cluster: it is no clusterspec.json, no TF_CONFIG, no Docker Compose file and no TFJob.`,
  );
}

/**
 * The cluster of a script that sets TF_CONFIG as a whole, once or for several tasks, or `cluster` as our export does.
 * @throws TensorFlowError INVALID_ARGUMENT if it sets several clusters.
 */
function clusterOfScript(text: string): ClusterSpec | undefined {
  const values = [...text.matchAll(/^\s*(?:export\s+)?(TF_CONFIG|cluster)='(\{[^']*\})'/gm)];
  let cluster: ClusterSpec | undefined;
  for (const [, variable, value = ""] of values) {
    const next = parseTfConfig(variable === "cluster" ? `{"cluster": ${value}}` : value).cluster;
    if (cluster !== undefined && !cluster.equals(next)) {
      throw invalidArgument("The script sets TF_CONFIG for several clusters. Keep the lines of one.");
    }
    cluster = next;
  }
  return cluster;
}

function yamlDocuments(text: string, name: string): unknown[] {
  try {
    const documents = parseAllDocuments(text);
    if (!Array.isArray(documents)) return [];
    return documents.map((document) => {
      const [error] = document.errors;
      if (error) throw error;
      return document.toJS({ maxAliasCount: 100 }) as unknown;
    });
  } catch (cause) {
    if (cause instanceof TensorFlowError) throw cause;
    const why = cause instanceof Error ? cause.message.split("\n")[0] : String(cause);
    throw invalidArgument(`${name} is neither JSON nor YAML that can be read (${why}).`, { cause });
  }
}
