/** A node's work for its pods, as far as an API server sees it. */
import { expect } from "vitest";
import { z } from "zod";
import type { ApiServer } from "../../../../main/kubernetes/api-server.js";
import { pathOf } from "../../../../main/kubernetes/manifests.js";
import type { TestServer } from "./test-server.js";

const NODE = "node-1";
const what = "A test's request failed";

const setSchema = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string() }),
      spec: z.object({
        replicas: z.number(),
        template: z.object({ metadata: z.looseObject({}), spec: z.looseObject({}) }),
      }),
    }),
  ),
});
const namesSchema = z.object({ items: z.array(z.object({ metadata: z.object({ name: z.string() }) })) });

/** Registers the node. */
export async function addNode(api: ApiServer, { kubeletPort }: TestServer): Promise<void> {
  if (kubeletPort === undefined) return;
  const metadata = { name: NODE };
  await api.request({
    ...{ method: "POST", path: "/api/v1/nodes", what },
    body: { apiVersion: "v1", kind: "Node", metadata },
  });
  await api.request({
    ...{ method: "PATCH", path: `/api/v1/nodes/${NODE}/status`, what },
    contentType: "application/merge-patch+json",
    body: {
      status: {
        addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
        daemonEndpoints: { kubeletEndpoint: { Port: kubeletPort } },
      },
    },
  });
}

/**
 * Gives the node to the pods of all StatefulSets of a namespace, which a controller has made, or makes them where no
 * controller runs. Returns their names.
 */
export async function schedulePods(api: ApiServer, namespace: string, server: TestServer): Promise<string[]> {
  const { items } = setSchema.parse(await api.request({ path: pathOf("StatefulSet", namespace), what }));
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const names = items.flatMap(({ metadata, spec: { replicas } }) =>
    Array.from({ length: replicas }, (_, index) => `${metadata.name}-${index}`),
  );
  if (server.kubeletPort === undefined) {
    const present = await namesOf(api, pods);
    for (const { metadata, spec } of items) {
      for (let index = 0; index < spec.replicas; index++) {
        const { template } = spec;
        if (present.includes(`${metadata.name}-${index}`)) continue;
        await api.request({
          ...{ method: "POST", path: pods, what },
          body: {
            kind: "Pod",
            metadata: { ...template.metadata, name: `${metadata.name}-${index}` },
            spec: { ...template.spec, nodeName: NODE },
          },
        });
      }
    }
    return names;
  }
  await expect
    .poll(async () => (await namesOf(api, pods)).sort(), { timeout: 60_000 })
    .toEqual([...names].sort());
  for (const name of names) {
    await api.request({
      ...{ method: "POST", path: `${pods}/${name}/binding`, what },
      body: {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name },
        target: { apiVersion: "v1", kind: "Node", name: NODE },
      },
    });
  }
  return names;
}

async function namesOf(api: ApiServer, pods: string): Promise<string[]> {
  const { items } = namesSchema.parse(await api.request({ path: pods, what }));
  return items.map(({ metadata }) => metadata.name);
}

/** Reports the state of a pod's container. */
export async function reportPod(
  api: ApiServer,
  namespace: string,
  pod: string,
  { ready, state }: { readonly ready: boolean; readonly state: object },
): Promise<void> {
  await api.request({
    ...{ method: "PATCH", path: `/api/v1/namespaces/${namespace}/pods/${pod}/status`, what },
    contentType: "application/strategic-merge-patch+json",
    body: {
      status: {
        phase: "Running",
        conditions: [{ type: "Ready", status: ready ? "True" : "False" }],
        containerStatuses: [
          {
            name: "tensorflow",
            image: "x",
            imageID: "x",
            ready,
            started: ready,
            restartCount: 0,
            state,
            lastState: {},
          },
        ],
      },
    },
  });
}
