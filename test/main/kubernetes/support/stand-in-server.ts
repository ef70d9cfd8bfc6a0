/**
 * A server that speaks as much of Kubernetes' API as Tensordeck uses, over TLS: objects with resource versions,
 * server-side apply with field managers of whole objects, lists by labels and fields, watches, Jobs of one pod, and the
 * logs, commands and ports of pods. It checks neither schemas nor rights, of which the account "guest" has none.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { loopbackCertificate } from "./certificate.js";
import type { Kubelet } from "./kubelet.js";
import type { TestServer } from "./test-server.js";

const objectSchema = z.looseObject({
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    labels: z.record(z.string(), z.string()).optional(),
  }),
});
type Stored = z.infer<typeof objectSchema>;

const jobSchema = z.object({
  template: z.object({
    metadata: z.object({ labels: z.record(z.string(), z.string()) }),
    spec: z.looseObject({}),
  }),
});
/** That the controller of Jobs gives to their pods. */
const JOB_LABEL = "batch.kubernetes.io/job-name";

interface Watcher {
  readonly collection: string;
  readonly selector: string | null;
  readonly response: ServerResponse;
}

/** Versions of which watches can still begin; older ones are refused with 410, as when etcd was compacted. */
let oldest = 0;

export function forgetVersions(): void {
  oldest = Number.POSITIVE_INFINITY;
}

export async function startStandIn(kubelet: Kubelet): Promise<TestServer> {
  oldest = 0;
  const objects = new Map<string, Stored>();
  const managers = new Map<string, string>();
  const watchers = new Set<Watcher>();
  let version = 1;

  const fail = (response: ServerResponse, code: number, message: string) =>
    answer(response, { kind: "Status", apiVersion: "v1", status: "Failure", message, code }, code);

  const store = (path: string, object: Stored, type: "ADDED" | "MODIFIED" | "DELETED") => {
    version++;
    const { uid = randomUUID() } = object.metadata;
    const stored = { ...object, metadata: { ...object.metadata, uid, resourceVersion: String(version) } };
    if (type === "DELETED") objects.delete(path);
    else objects.set(path, stored);
    for (const { collection, selector, response } of watchers) {
      if (path.startsWith(`${collection}/`) && isSelected(stored, selector)) {
        response.write(`${JSON.stringify({ type, object: stored })}\n`);
      }
    }
    return stored;
  };

  /** As the controller of Jobs does. */
  const makePod = (path: string, { metadata, spec }: Stored) => {
    const { template } = jobSchema.parse(spec);
    const name = `${metadata.name}-${randomUUID().slice(0, 5)}`;
    const labels = { ...template.metadata.labels, [JOB_LABEL]: metadata.name };
    const pods = path.replace("/apis/batch/v1/", "/api/v1/").replace(/\/jobs$/, "/pods");
    store(`${pods}/${name}`, { kind: "Pod", metadata: { name, labels }, spec: template.spec }, "ADDED");
  };

  /** With the pods of a Job. */
  const remove = (path: string, object: Stored) => {
    store(path, object, "DELETED");
    if (object.kind !== "Job") return;
    for (const [at, pod] of [...objects]) {
      if (pod.metadata.labels?.[JOB_LABEL] === object.metadata.name && pod.kind === "Pod") {
        store(at, pod, "DELETED");
      }
    }
  };

  const apply = async (
    path: string,
    query: URLSearchParams,
    request: IncomingMessage,
    response: ServerResponse,
  ) => {
    const object = objectSchema.parse(JSON.parse(await text(request)));
    const manager = query.get("fieldManager") ?? "";
    const owner = managers.get(path) ?? manager;
    if (owner !== manager && query.get("force") !== "true") {
      return fail(response, 409, `Apply failed with 1 conflict: conflict with "${owner}": .spec`);
    }
    if (!/^[a-z0-9.-]+$/.test(object.metadata.name)) return fail(response, 422, `${object.kind} is invalid`);
    const present = objects.get(path);
    if (query.get("dryRun") === "All") return answer(response, object);
    managers.set(path, manager);
    const merged = { ...present, ...object, metadata: { ...present?.metadata, ...object.metadata } };
    return answer(response, store(path, merged, present ? "MODIFIED" : "ADDED"));
  };

  const list = (collection: string, query: URLSearchParams, response: ServerResponse) => {
    const selector = query.get("labelSelector");
    if (query.get("watch") !== "true") {
      const items = [...objects]
        .filter(([path, object]) => isCollection(path, collection) && isSelected(object, selector))
        .filter(([, object]) => hasFields(object, query.get("fieldSelector")))
        .map(([, object]) => object);
      return answer(response, { kind: "List", metadata: { resourceVersion: String(version) }, items });
    }
    response.writeHead(200, { "Content-Type": "application/json" });
    if (Number(query.get("resourceVersion")) < oldest) {
      oldest = 0;
      const status = { kind: "Status", code: 410, message: "too old resource version" };
      return response.end(`${JSON.stringify({ type: "ERROR", object: status })}\n`);
    }
    response.flushHeaders();
    const watcher = { collection, selector, response };
    watchers.add(watcher);
    return response.once("close", () => watchers.delete(watcher));
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const { pathname, searchParams } = new URL(request.url ?? "", "https://api");
    const { authorization } = request.headers;
    if (authorization === "Bearer guest-token" && pathname !== "/version") {
      return fail(response, 403, 'User "guest" cannot do that');
    }
    if (authorization !== "Bearer admin-token" && pathname !== "/version") {
      return fail(response, 401, "Unauthorized");
    }
    if (pathname === "/version") return answer(response, { gitVersion: "v1.35.4" });
    if (pathname.startsWith("/apis/metrics.k8s.io/")) {
      if (kubelet.usage.size === 0)
        return fail(response, 404, "the server could not find the requested resource");
      const items = [...kubelet.usage].map(([name, usage]) => ({
        metadata: { name },
        containers: [{ name: "tensorflow", usage }],
      }));
      return answer(response, { kind: "PodMetricsList", apiVersion: "metrics.k8s.io/v1beta1", items });
    }
    const [, pod] = /\/pods\/([^/]+)\/log$/.exec(pathname) ?? [];
    if (pod !== undefined) return kubelet.log(pod, searchParams, response);
    const path = pathname.replace(/\/status$/, "");
    const present = objects.get(path);
    switch (request.method) {
      case "PATCH":
        if (request.headers["content-type"]?.startsWith("application/apply-patch")) {
          return await apply(path, searchParams, request, response);
        }
        if (present === undefined) return fail(response, 404, `${path} not found`);
        return answer(response, store(path, { ...present, ...JSON.parse(await text(request)) }, "MODIFIED"));
      case "POST": {
        const object = objectSchema.parse(JSON.parse(await text(request)));
        const { name } = object.metadata;
        if (path.endsWith("/binding")) {
          const pod = objects.get(path.replace(/\/binding$/, ""));
          if (pod === undefined) return fail(response, 404, `${path} not found`);
          const { target } = z.object({ target: z.object({ name: z.string() }) }).parse(object);
          const spec = { ...(pod.spec as object), nodeName: target.name };
          store(path.replace(/\/binding$/, ""), { ...pod, spec }, "MODIFIED");
          return answer(response, { kind: "Status", status: "Success" }, 201);
        }
        if (objects.has(`${path}/${name}`)) return fail(response, 409, `"${name}" already exists`);
        if (searchParams.get("dryRun") === "All") return answer(response, object, 201);
        const stored = store(`${path}/${name}`, object, "ADDED");
        if (object.kind === "Job") makePod(path, stored);
        return answer(response, stored, 201);
      }
      case "DELETE":
        if (present === undefined && !searchParams.has("labelSelector")) {
          return fail(response, 404, `${path} not found`);
        }
        for (const [at, object] of present ? [[path, present] as const] : [...objects]) {
          const isWanted = present !== undefined || isCollection(at, path);
          if (isWanted && isSelected(object, searchParams.get("labelSelector"))) remove(at, object);
        }
        return answer(response, { kind: "Status", status: "Success" });
      default:
        if (present !== undefined) return answer(response, present);
        return list(path, searchParams, response);
    }
  };

  const { cert, key } = await loopbackCertificate();
  const server = createServer({ cert, key }, (request, response) => {
    handle(request, response).catch((error: unknown) => fail(response, 400, String(error)));
  });
  server.on("upgrade", (request, socket, head) => {
    const [, pod = "", what] = /\/pods\/([^/]+)\/(portforward|exec)/.exec(request.url ?? "") ?? [];
    if (what === "exec") kubelet.exec(pod, request, socket, head);
    else kubelet.forward(pod, request, socket, head);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `https://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    certificate: cert,
    stop: async () => {
      kubelet.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(response: ServerResponse, body: unknown, code = 200): void {
  response.writeHead(code, { "Content-Type": "application/json" }).end(JSON.stringify(body));
}

function isCollection(path: string, collection: string): boolean {
  return path.startsWith(`${collection}/`) && !path.slice(collection.length + 1).includes("/");
}

/** "involvedObject.kind=Job,involvedObject.name=a" */
function hasFields(object: Stored, selector: string | null): boolean {
  return (selector ?? "")
    .split(",")
    .filter((part) => part !== "")
    .every((part) => {
      const [path = "", value] = part.split("=");
      const found = path
        .split(".")
        .reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], object);
      return found === value;
    });
}

function isSelected({ metadata }: Stored, selector: string | null): boolean {
  return (selector ?? "")
    .split(",")
    .filter((part) => part !== "")
    .every((part) => {
      const [label = "", value] = part.split("=");
      return metadata.labels?.[label] === value;
    });
}
