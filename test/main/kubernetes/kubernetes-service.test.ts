import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import type { KubernetesState } from "../../../main/api/kubernetes.js";
import { ApiServer } from "../../../main/kubernetes/api-server.js";
import type { DeployedCluster } from "../../../main/kubernetes/deployed-cluster.js";
import { KubernetesService } from "../../../main/kubernetes/kubernetes-service.js";
import { pathOf } from "../../../main/kubernetes/manifests.js";
import { Tensor } from "../../../worker-runtime/protocol/tensor.js";
import { Session } from "../../../worker-runtime/session/session.js";
import { constant, graphOf } from "../../interop/peers/nodes.js";
import { startWorker } from "../../interop/worker-peers.js";
import { Kubelet } from "./support/kubelet.js";
import { addNode, reportPod, schedulePods } from "./support/node.js";
import { hasRealServer, startRealServer } from "./support/real-server.js";
import { forgetVersions, startStandIn } from "./support/stand-in-server.js";
import { type TestServer, writeKubeconfig } from "./support/test-server.js";

const NAMESPACE = "default";
const LAB: DeployedCluster = {
  tasks: [
    { job: "ps", index: 0 },
    { job: "worker", index: 0 },
    { job: "worker", index: 1 },
  ],
  options: { name: "lab", run: "server", memory: "1Gi" },
};
const what = "A test's request failed";
const running = { ready: true, state: { running: { startedAt: "2026-01-02T03:04:05Z" } } };

const SERVERS = [
  ["a stand-in for an API server", (kubelet: Kubelet, _folder: string) => startStandIn(kubelet)],
  ...(hasRealServer ? ([["Kubernetes' API server", startRealServer]] as const) : []),
] as const;

describe.each(SERVERS)("with %s", (_name, start) => {
  let folder: string;
  let kubelet: Kubelet;
  let server: TestServer;
  let kubeconfig: string;
  let api: ApiServer;
  let service: KubernetesService;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tensordeck-kubernetes-"));
    kubelet = new Kubelet();
    server = await start(kubelet, folder);
    kubeconfig = await writeKubeconfig(server, folder, NAMESPACE);
    api = await ApiServer.connect({ kubeconfig });
    // It makes the namespace after it has begun to serve.
    await vi.waitFor(() => api.request({ path: `/api/v1/namespaces/${NAMESPACE}`, what }), {
      timeout: 60_000,
    });
    await addNode(api, server);
    service = new KubernetesService();
    await service.connect({ kubeconfig });
  }, 180_000);
  afterAll(async () => {
    await service?.dispose();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  }, 120_000);

  /** Resolves with the first state that is as wanted. */
  function stateWith(isWanted: (state: KubernetesState) => boolean): Promise<KubernetesState> {
    return new Promise((resolve) => {
      const look = (state: KubernetesState) => {
        if (!isWanted(state)) return;
        stop();
        resolve(state);
      };
      const stop = service.onState(look);
      look(service.state());
    });
  }

  const tasksOf = ({ clusters }: KubernetesState) => clusters.flatMap(({ tasks }) => tasks);
  const objectsOf = async (kind: Parameters<typeof pathOf>[0]) => {
    const { items } = (await api.request({
      path: pathOf(kind, NAMESPACE),
      query: { labelSelector: "app.kubernetes.io/instance=lab" },
      what,
    })) as { items: { metadata: { name: string; generation?: number }; spec?: Record<string, unknown> }[] };
    return items;
  };

  it("deploys a cluster, and changes nothing when it is deployed again", async () => {
    await service.deploy(LAB);
    const before = await objectsOf("StatefulSet");
    expect(before.map(({ metadata, spec }) => [metadata.name, spec?.replicas])).toEqual([
      ["lab-ps", 1],
      ["lab-worker", 2],
    ]);
    await service.deploy(LAB);
    const after = await objectsOf("StatefulSet");
    expect(after.map(({ metadata }) => metadata.generation)).toEqual(
      before.map(({ metadata }) => metadata.generation),
    );
    expect(service.state().clusters).toMatchObject([
      {
        name: "lab",
        jobs: [
          { job: "ps", replicas: 1 },
          { job: "worker", replicas: 2 },
        ],
      },
    ]);
    expect(service.state().connection).toEqual({ context: "lab", server: server.url, namespace: NAMESPACE });
  });

  it("follows the pods as tasks", async () => {
    const pods = await schedulePods(api, NAMESPACE, server);
    await stateWith((state) => tasksOf(state).filter(({ node }) => node === "node-1").length === 3);
    for (const pod of pods.slice(0, 2)) await reportPod(api, NAMESPACE, pod, running);
    await reportPod(api, NAMESPACE, "lab-worker-1", {
      ready: false,
      state: { waiting: { reason: "ImagePullBackOff", message: "no such image" } },
    });
    const state = await stateWith(
      (now) =>
        tasksOf(now).filter((task) => task.state === "running").length === 2 &&
        tasksOf(now)[2]?.state === "failed",
    );
    expect(tasksOf(state)).toMatchObject([
      { job: "ps", index: 0, pod: "lab-ps-0", state: "running", startedAt: Date.UTC(2026, 0, 2, 3, 4, 5) },
      { job: "worker", index: 0, state: "running" },
      { job: "worker", index: 1, problem: { reason: "no such image" } },
    ]);
    expect(state.measuresLoad).toBe(false);
  });

  it("reads and follows the log of a task, until it is cancelled", async () => {
    kubelet.write("lab-ps-0", "first");
    kubelet.write("lab-ps-0", "second");
    const newest = [];
    for await (const { text } of service.log("lab-ps-0", { follow: false, tailLines: 1 })) newest.push(text);
    expect(newest).toEqual(["second"]);
    const abort = new AbortController();
    const lines = service.log("lab-ps-0", { follow: true, tailLines: 2, signal: abort.signal });
    expect((await lines.next()).value).toMatchObject({ text: "first" });
    expect((await lines.next()).value).toMatchObject({ text: "second" });
    kubelet.write("lab-ps-0", "third");
    expect((await lines.next()).value).toMatchObject({ text: "third" });
    const cancelled = lines.next();
    abort.abort(new Error("enough"));
    await expect(cancelled).rejects.toThrow("enough");
  });

  it("runs a session on a worker through a forwarded port", async () => {
    const worker = await startWorker(["--engine", "portable"]);
    onTestFinished(async () => void (await worker.stop()));
    kubelet.ports.set("lab-worker-0:2222", Number(new URL(worker.target).port));
    const target = await service.forward("lab-worker-0");
    expect(await service.forward("lab-worker-0")).toBe(target);
    expect(tasksOf(service.state())[1]?.target).toBe(target);
    const session = new Session(target, { graph: graphOf(constant("c", Tensor.of(42))) });
    const { values } = await session.run(["c:0"]);
    expect(values[0]?.toArray()).toBe(42);
    await session.close();
    await service.endForward("lab-worker-0");
    const { port } = new URL(target);
    const refused = connect(Number(port), "127.0.0.1");
    expect((await once(refused, "error"))[0]).toMatchObject({ code: "ECONNREFUSED" });
  });

  it("carries many bytes in both directions, at the speed of the slower side", async () => {
    const echo = createServer((socket) => socket.pipe(socket)).listen(0, "127.0.0.1");
    await once(echo, "listening");
    onTestFinished(async () => {
      echo.close();
      await service.endForward("lab-ps-0");
    });
    const address = echo.address();
    kubelet.ports.set("lab-ps-0:2222", typeof address === "object" ? (address?.port ?? 0) : 0);
    const client = connect(Number(new URL(await service.forward("lab-ps-0")).port), "127.0.0.1");
    const sent = Buffer.alloc(24 << 20, "tensordeck ");
    client.write(sent);
    // Nothing is read until the other side can take no more.
    client.pause();
    await expect.poll(() => client.bytesWritten).toBeGreaterThan(0);
    let received = 0;
    let isEqual = true;
    for await (const piece of client as AsyncIterable<Buffer>) {
      isEqual &&= piece.equals(sent.subarray(received, received + piece.length));
      received += piece.length;
      if (received === sent.length) break;
    }
    expect({ received, isEqual }).toEqual({ received: sent.length, isEqual: true });
  }, 120_000);

  it("says why a port cannot be reached", async () => {
    onTestFinished(() => service.endForward("lab-worker-1"));
    const client = connect(Number(new URL(await service.forward("lab-worker-1")).port), "127.0.0.1");
    const reset = once(client, "error");
    client.write("x");
    expect((await reset)[0]).toMatchObject({ code: "ECONNRESET" });
    expect(tasksOf(service.state())[2]?.forwardProblem).toMatchObject({
      message: "Port 2222 of pod lab-worker-1 cannot be reached.",
      details: "nothing listens on 2222",
    });
    await expect(service.forward("lab-worker-7")).rejects.toThrow("There is no pod lab-worker-7.");
  });

  it("scales a job, whose tasks then know the new cluster", async () => {
    await service.scale("lab", "worker", 3);
    const [, worker] = await objectsOf("StatefulSet");
    expect(worker?.spec).toMatchObject({
      replicas: 3,
      template: { metadata: { annotations: { "tensordeck/members": "ps=1,worker=3" } } },
    });
    const config = (await api.request({ path: pathOf("ConfigMap", NAMESPACE, "lab-cluster"), what })) as {
      data: Record<string, string>;
    };
    expect(JSON.parse(config.data["cluster.json"] ?? "").worker).toHaveLength(3);
    await expect(service.scale("lab", "chief", 1)).rejects.toMatchObject({
      problem: { code: "NOT_FOUND", remedy: "Its jobs are: ps, worker." },
    });
    await expect(service.scale("lab", "worker", 0)).rejects.toThrow("worker must have at least one task.");
  });

  it("does not take over what another program manages, unless it is told to", async () => {
    const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "other-cluster" } };
    await api.request({
      ...{ method: "PATCH", path: pathOf("ConfigMap", NAMESPACE, "other-cluster"), what },
      query: { fieldManager: "helm" },
      body: { ...config, data: { "cluster.json": "theirs" } },
      contentType: "application/apply-patch+yaml",
    });
    const other = { ...LAB, options: { ...LAB.options, name: "other" } };
    await expect(service.deploy(other)).rejects.toMatchObject({
      problem: { code: "ABORTED", reason: expect.stringContaining("helm") },
    });
    // Nothing was written: everything is checked first.
    expect(service.state().clusters.map(({ name }) => name)).toEqual(["lab"]);
    await service.deploy(other, { force: true });
    expect(service.state().clusters.map(({ name }) => name)).toEqual(["lab", "other"]);
    await service.remove("other");
    await stateWith(({ clusters }) => clusters.every(({ name }) => name !== "other"));
  });

  it("says what is wrong with a connection, and keeps the one before", async () => {
    await expect(service.connect({ kubeconfig, context: "guest" })).rejects.toMatchObject({
      problem: { code: "PERMISSION_DENIED", reason: expect.stringContaining("guest") },
    });
    await expect(service.connect({ kubeconfig, context: "none" })).rejects.toMatchObject({
      problem: { code: "NOT_FOUND", remedy: "Choose one of these contexts: lab, guest." },
    });
    const elsewhere = await writeKubeconfig(
      { url: "https://127.0.0.1:9", certificate: server.certificate },
      await mkdtemp(join(folder, "elsewhere-")),
      NAMESPACE,
    );
    await expect(service.connect({ kubeconfig: elsewhere })).rejects.toMatchObject({
      problem: { code: "UNAVAILABLE", reason: "Nothing listens there." },
    });
    expect(service.state().connection?.context).toBe("lab");
    expect(await service.contexts(kubeconfig)).toMatchObject([
      { name: "lab", server: server.url, namespace: NAMESPACE, current: true },
      { name: "guest", current: false },
    ]);
  });

  it("deletes a cluster with everything that belongs to it", async () => {
    await service.remove("lab");
    for (const kind of ["StatefulSet", "Service", "NetworkPolicy", "ConfigMap"] as const) {
      expect(await objectsOf(kind), kind).toEqual([]);
    }
    await expect(service.remove("lab")).rejects.toThrow(`Namespace ${NAMESPACE} has no cluster lab.`);
  });
});

it("lists the pods anew when the changes since the last ones are no longer kept", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tensordeck-kubernetes-"));
  const kubelet = new Kubelet();
  const server = await startStandIn(kubelet);
  const service = new KubernetesService();
  onTestFinished(async () => {
    await service.dispose();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const kubeconfig = await writeKubeconfig(server, folder, NAMESPACE);
  const api = await ApiServer.connect({ kubeconfig });
  await service.connect({ kubeconfig });
  forgetVersions();
  await service.disconnect();
  await service.connect({ kubeconfig });
  await service.deploy(LAB);
  const pods = new Promise<void>((resolve) => {
    service.onState(({ clusters }) => {
      if (clusters.flatMap(({ tasks }) => tasks).length === 3) resolve();
    });
  });
  await schedulePods(api, NAMESPACE, server);
  await pods;
});
