/** Clusters in a namespace: deploying, listing, scaling and deleting them. */
import { z } from "zod";
import { PARAMETER_SERVER_JOB } from "../../worker-runtime/cluster/job-names.js";
import { problem } from "../shared/problems.js";
import type { ApiServer } from "./api-server.js";
import {
  clusterOfConfigMap,
  type DeployedCluster,
  deployedClusterSchema,
  nameOf,
  scaled,
} from "./deployed-cluster.js";
import { KINDS, type Manifest, pathOf } from "./manifests.js";
import { INSTANCE_LABEL, TENSORDECK_SELECTOR } from "./pod-task.js";

/** Owner of the applied fields. */
const FIELD_MANAGER = "tensordeck";

const objectsSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({
        name: z.string(),
        labels: z.record(z.string(), z.string()).optional(),
        annotations: z.record(z.string(), z.string()).optional(),
      }),
    }),
  ),
});

export interface DeployOptions {
  /** Take over fields that another program manages. */
  readonly force?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export class Deployments {
  constructor(
    private readonly api: ApiServer,
    readonly namespace: string,
  ) {}

  /** The clusters that Tensordeck deployed, by name. */
  async list(signal?: AbortSignal): Promise<ReadonlyMap<string, DeployedCluster>> {
    const { items } = objectsSchema.parse(
      await this.api.request({
        path: pathOf("ConfigMap", this.namespace),
        query: { labelSelector: TENSORDECK_SELECTOR },
        what: `The clusters in namespace ${this.namespace} cannot be listed`,
        signal,
      }),
    );
    const clusters = items.flatMap((item): [string, DeployedCluster][] => {
      const cluster = clusterOfConfigMap(item);
      return cluster === undefined ? [] : [[nameOf(cluster), cluster]];
    });
    return new Map(clusters);
  }

  /** @throws ProblemError NOT_FOUND */
  async get(name: string, signal?: AbortSignal): Promise<DeployedCluster> {
    const clusters = await this.list(signal);
    const cluster = clusters.get(name);
    if (cluster !== undefined) return cluster;
    throw problem("NOT_FOUND", `Namespace ${this.namespace} has no cluster ${name}.`, {
      remedy:
        clusters.size === 0 ? "Deploy one first." : `It has: ${[...clusters.keys()].sort().join(", ")}.`,
    });
  }

  /**
   * Creates the cluster, or changes it to this, by server-side apply. The API server checks everything before the first
   * object is written. Tasks restart if the cluster has other members afterwards.
   *
   * @throws ProblemError, TensorFlowError INVALID_ARGUMENT if the cluster cannot be written
   */
  async apply(cluster: DeployedCluster, { force = false, signal }: DeployOptions = {}): Promise<void> {
    const wanted = deployedClusterSchema.parse({
      ...cluster,
      options: { ...cluster.options, namespace: "" },
    });
    const { manifestsOf } = await import("./written-manifests.js");
    const manifests = manifestsOf(wanted);
    for (const dryRun of [true, false]) {
      for (const manifest of manifests) await this.#applyOne(manifest, { dryRun, force, signal });
    }
    await this.#deleteUnwanted(nameOf(wanted), manifests, signal);
  }

  /** Gives a job another number of tasks. All tasks restart, since each knows the cluster from its start. */
  async scale(name: string, job: string, replicas: number, signal?: AbortSignal): Promise<void> {
    if (!Number.isInteger(replicas) || replicas < 1) {
      throw problem("INVALID_ARGUMENT", `${job} must have at least one task.`, {
        remedy:
          job === PARAMETER_SERVER_JOB ? "Deploy the cluster without the job." : "Or delete the cluster.",
      });
    }
    await this.apply(scaled(await this.get(name, signal), job, replicas), { signal });
  }

  /** Deletes everything that belongs to a cluster. @throws ProblemError NOT_FOUND if there is none */
  async remove(name: string, signal?: AbortSignal): Promise<void> {
    await this.get(name, signal);
    await this.#deleteUnwanted(name, [], signal);
  }

  async #applyOne(
    manifest: Manifest,
    { dryRun, force, signal }: { dryRun: boolean; force: boolean; signal: AbortSignal | undefined },
  ): Promise<void> {
    const { kind, metadata } = manifest;
    await this.api.request({
      method: "PATCH",
      path: pathOf(kind, this.namespace, metadata.name),
      query: { fieldManager: FIELD_MANAGER, force, dryRun: dryRun ? "All" : undefined },
      body: { ...manifest, metadata: { ...metadata, namespace: this.namespace } },
      contentType: "application/apply-patch+yaml",
      what: `${kind} ${metadata.name} cannot be applied in namespace ${this.namespace}`,
      signal,
    });
  }

  /** Deletes the objects of a cluster that are not among the wanted ones, pods with the StatefulSets that own them. */
  async #deleteUnwanted(
    name: string,
    wanted: readonly Manifest[],
    signal: AbortSignal | undefined,
  ): Promise<void> {
    for (const kind of KINDS) {
      const { items } = objectsSchema.parse(
        await this.api.request({
          path: pathOf(kind, this.namespace),
          query: { labelSelector: `${TENSORDECK_SELECTOR},${INSTANCE_LABEL}=${name}` },
          what: `What belongs to the cluster ${name} cannot be listed`,
          signal,
        }),
      );
      const kept = new Set(
        wanted.filter((manifest) => manifest.kind === kind).map(({ metadata }) => metadata.name),
      );
      for (const { metadata } of items.filter((item) => !kept.has(item.metadata.name))) {
        await this.api.request({
          method: "DELETE",
          path: pathOf(kind, this.namespace, metadata.name),
          query: { propagationPolicy: "Background" },
          what: `${kind} ${metadata.name} cannot be deleted`,
          signal,
        });
      }
    }
  }
}
