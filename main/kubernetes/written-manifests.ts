/** A cluster's manifests, as an export writes them. Loaded when one is deployed: what reads YAML is large. */
import { parseAllDocuments } from "yaml";
import { z } from "zod";
import { exportCluster } from "../../worker-runtime/cluster/orchestrators/export-cluster.js";
import type { ExportTask } from "../../worker-runtime/cluster/orchestrators/export-model.js";
import { problem } from "../shared/problems.js";
import { CLUSTER_ANNOTATION, type DeployedCluster } from "./deployed-cluster.js";
import { type Manifest, manifestSchema } from "./manifests.js";

/** The manifests, which carry what they were made of. @throws TensorFlowError INVALID_ARGUMENT as `exportCluster` */
export function manifestsOf(cluster: DeployedCluster): Manifest[] {
  const tasks: ExportTask[] = cluster.tasks.map(({ job, index, engine, gpus }) => ({
    job,
    index,
    ...(engine !== undefined && { engine }),
    ...(gpus !== undefined && { gpus }),
  }));
  const manifests = parseManifests(exportCluster("kubernetes", tasks, cluster.options).file.text);
  return manifests.map((manifest) => {
    if (manifest.kind !== "ConfigMap") return manifest;
    const annotations = { ...manifest.metadata.annotations, [CLUSTER_ANNOTATION]: JSON.stringify(cluster) };
    return { ...manifest, metadata: { ...manifest.metadata, annotations } };
  });
}

/** @throws ProblemError if the text is not what an export writes */
function parseManifests(text: string): Manifest[] {
  const documents = parseAllDocuments(text);
  const parsed = z
    .array(manifestSchema)
    .safeParse(Array.isArray(documents) ? documents.map((document) => document.toJS() as unknown) : []);
  if (!parsed.success || parsed.data.length === 0) {
    throw problem("INVALID_ARGUMENT", "These are no manifests that Tensordeck deploys.", {
      remedy: "Deploy the cluster itself, or use kubectl apply.",
    });
  }
  return parsed.data;
}
