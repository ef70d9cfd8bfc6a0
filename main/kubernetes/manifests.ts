/** Manifests that an export has written, and where an API server keeps their kinds. */
import { z } from "zod";

export const manifestSchema = z.looseObject({
  apiVersion: z.string(),
  kind: z.enum(["ConfigMap", "Service", "StatefulSet", "NetworkPolicy"]),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: z.record(z.string(), z.string()).optional(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
});
export type Manifest = z.infer<typeof manifestSchema>;
export type ManifestKind = Manifest["kind"];

/** The kinds that an export writes; deleted in this order, so that no pod comes back. */
export const KINDS: readonly ManifestKind[] = ["StatefulSet", "Service", "NetworkPolicy", "ConfigMap"];

/** Kinds that are written here without an export. */
type OtherKind = "Job" | "Pod";

const COLLECTIONS: Readonly<
  Record<ManifestKind | OtherKind, { readonly root: string; readonly plural: string }>
> = {
  Job: { root: "/apis/batch/v1", plural: "jobs" },
  Pod: { root: "/api/v1", plural: "pods" },
  ConfigMap: { root: "/api/v1", plural: "configmaps" },
  Service: { root: "/api/v1", plural: "services" },
  StatefulSet: { root: "/apis/apps/v1", plural: "statefulsets" },
  NetworkPolicy: { root: "/apis/networking.k8s.io/v1", plural: "networkpolicies" },
};

/** "/apis/apps/v1/namespaces/lab/statefulsets", or the path of one of them */
export function pathOf(kind: ManifestKind | OtherKind, namespace: string, name?: string): string {
  const { root, plural } = COLLECTIONS[kind];
  const collection = `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
  return name === undefined ? collection : `${collection}/${encodeURIComponent(name)}`;
}
