/** Clusters as the text that other tools read and write: clusterspec.json and TF_CONFIG. */
import { parseClusterJson } from "./classic.js";
import type { ClusterSpec } from "./cluster-spec.js";
import { taskText } from "./device-name.js";
import { parseTfConfig } from "./tf-config.js";

/**
 * Reads a pasted or opened cluster: the JSON of a clusterspec.json or the value of TF_CONFIG, optionally prefixed by
 * `export TF_CONFIG='…'` or `TF_CONFIG=…`, as copied from a shell. Addresses are not checked.
 *
 * @throws TensorFlowError INVALID_ARGUMENT when it is neither.
 */
export function parseClusterText(text: string, name = "The text"): ClusterSpec {
  const assigned = assignedTfConfig(text);
  const json = assigned ?? text;
  if (assigned !== undefined || hasCluster(json)) return parseTfConfig(json).cluster;
  return parseClusterJson(json, name);
}

/** The value in a text that is nothing but `export TF_CONFIG='…'`, or as cmd and PowerShell have it; else undefined. */
export function assignedTfConfig(text: string): string | undefined {
  return /^\s*(?:export\s+|set\s+|\$env:)?TF_CONFIG\s*=\s*(['"]?)([\s\S]*?)\1;?\s*$/.exec(text)?.[2];
}

/** TF_CONFIG holds the cluster as an object of jobs under "cluster"; a clusterspec.json has lists right under the jobs. */
function hasCluster(json: string): boolean {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== "object" || value === null || !("cluster" in value)) return false;
    const { cluster } = value;
    return (
      typeof cluster === "object" &&
      cluster !== null &&
      !Array.isArray(cluster) &&
      !Object.values(cluster).every((address) => typeof address === "string")
    );
  } catch {
    return false;
  }
}

/** The text of a clusterspec.json, which `tensordeck worker --cluster` and scripts of TensorFlow's first years read. */
export function clusterJson(cluster: ClusterSpec): string {
  return `${JSON.stringify(cluster.asDict(), undefined, 2)}\n`;
}

/** The value of TF_CONFIG for one task. */
export function tfConfigJson(cluster: ClusterSpec, job: string, index: number): string {
  return JSON.stringify({ cluster: cluster.asDict(), task: { type: job, index } });
}

/** TF_CONFIG for every task, one line each, under a line that names the task. */
export function tfConfigLines(cluster: ClusterSpec): string {
  return cluster
    .tasks()
    .map((task) => `# ${taskText(task)}\nexport TF_CONFIG='${tfConfigJson(cluster, task.job, task.index)}'\n`)
    .join("\n");
}
