import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { LogLine } from "../../../main/api/cluster.js";
import { ApiServer } from "../../../main/kubernetes/api-server.js";
import type { DeployedCluster } from "../../../main/kubernetes/deployed-cluster.js";
import { KubernetesService } from "../../../main/kubernetes/kubernetes-service.js";
import { watchTasks } from "../../../main/runs/lost-tasks.js";
import type { RunCluster } from "../../../main/runs/run-cluster.js";
import { planRunSession } from "../../../main/runs/session-plan.js";
import { openWorkerProbe } from "../../../main/tasks/worker-probe.js";
import { constant, graphOf, typed } from "../../interop/peers/nodes.js";
import { Kubelet } from "./support/kubelet.js";
import { reportPod, schedulePods } from "./support/node.js";
import { type PodWorkers, startPodWorkers } from "./support/pod-workers.js";
import { startStandIn } from "./support/stand-in-server.js";
import { type TestServer, writeKubeconfig } from "./support/test-server.js";

const NAMESPACE = "default";
const LAB: DeployedCluster = {
  tasks: [
    { job: "worker", index: 0 },
    { job: "worker", index: 1 },
  ],
  options: { name: "lab", engine: "portable", image: "example.org/tensordeck" },
};
const running = { ready: true, state: { running: { startedAt: "2026-01-02T03:04:05Z" } } };

describe("a cluster in Kubernetes that graphs run on", () => {
  let folder: string;
  let kubelet: Kubelet;
  let server: TestServer;
  let kubeconfig: string;
  let api: ApiServer;
  let service: KubernetesService;
  let workers: PodWorkers;
  let used: RunCluster | undefined;
  let isGoing = false;
  const lines: { readonly taskId: string; readonly text: string }[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tensordeck-kubernetes-"));
    kubelet = new Kubelet();
    server = await startStandIn(kubelet);
    kubeconfig = await writeKubeconfig(server, folder, NAMESPACE);
    api = await ApiServer.connect({ kubeconfig });
    service = new KubernetesService({
      openProbe: openWorkerProbe,
      chooseCluster: (cluster) => {
        used = cluster;
      },
      runsOn: (cluster) => isGoing && cluster === used,
      onLog: (taskId, added: LogLine[]) => lines.push(...added.map(({ text }) => ({ taskId, text }))),
    });
    await service.connect({ kubeconfig });
    await service.deploy(LAB);
    workers = await startPodWorkers(kubelet, folder, 2);
    for (const pod of await schedulePods(api, NAMESPACE, server))
      await reportPod(api, NAMESPACE, pod, running);
  }, 120_000);
  afterAll(async () => {
    await service?.dispose();
    await workers?.stop();
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const current = () => {
    if (used === undefined) throw new Error("No cluster is used.");
    return used;
  };
  const states = () =>
    current()
      .tasks()
      .map(({ name, state }) => `${name} ${state}`);
  const bothRun = () =>
    vi.waitFor(() => expect(states()).toEqual(["worker/0 running", "worker/1 running"]), { timeout: 30_000 });

  it("is chosen by its name", async () => {
    await expect(service.use("other")).rejects.toThrow("Namespace default has no cluster other.");
    await service.use("lab");
    await bothRun();
    expect(current().membership).toBe("fixed");
    const [first, second] = current().tasks();
    expect(first).toMatchObject({ engine: "portable", elsewhere: "node-1", foreign: true });
    expect(first?.address).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(second?.address).not.toBe(first?.address);
    expect(first?.devices[0]?.name).toBe("/job:worker/replica:0/task:0/device:CPU:0");
    expect(service.state().used).toMatchObject({
      cluster: "lab",
      machines: [
        { name: "node-1", presence: "online", tasks: [{ pod: "lab-worker-0" }, { pod: "lab-worker-1" }] },
      ],
    });
  });

  it("runs a graph in a session of one task that uses the other, which only the pods reach", async () => {
    const members = [...current().tasks()];
    const [master] = members;
    if (master === undefined) throw new Error("There is no task.");
    const plan = planRunSession(
      {
        ...{ membership: current().membership, members, allTasks: members, master },
        ...{ softPlacement: false, logDevicePlacement: false, optimize: false },
      },
      () => undefined,
    );
    const graph = graphOf(
      constant("a", 40, "int32", "/job:worker/task:0"),
      constant("b", 2, "int32", "/job:worker/task:1"),
      typed("z", "AddV2", ["a", "b"], "int32", "/job:worker/task:1"),
    );
    const session = await plan.open(graph, new AbortController().signal);
    const { values, metadata } = await session.run(["z:0"], { options: { trace: true } });
    expect(values[0]?.toArray()).toBe(42);
    expect(metadata?.stepStats?.devStats.map(({ device }) => device)).toContain(
      "/job:worker/replica:0/task:1/device:CPU:0",
    );
    await session.close();
  });

  it("has the logs of its tasks", async () => {
    kubelet.write("lab-worker-1", "2026-01-02 03:04:05.000000: W tensorflow/core: careful");
    await vi.waitFor(() => expect(lines).toHaveLength(1));
    expect(lines[0]).toMatchObject({ taskId: "kubernetes:lab-worker-1" });
    expect(service.taskLog("lab-worker-1", -1)).toMatchObject([{ sequence: 0, level: "warning" }]);
    expect(service.taskLog("lab-worker-1", 0)).toEqual([]);
  });

  it("clears the state of a task, which is another one to sessions then", async () => {
    const before = current()
      .tasks()
      .map(({ incarnation }) => incarnation);
    await service.clearState("lab-worker-0");
    const after = current()
      .tasks()
      .map(({ incarnation }) => incarnation);
    expect(after[0]).not.toBe(before[0]);
    expect(after[1]).toBe(before[1]);
  });

  it("is not left while a run goes on there", async () => {
    isGoing = true;
    await expect(service.use(undefined)).rejects.toThrow("A run is in progress on lab.");
    isGoing = false;
  });

  it("tells a run that a pod was lost, and that it is back", async () => {
    const lost = new Promise<Error>((resolve) => {
      const stop = watchTasks(current(), [...current().tasks()], (error) => {
        stop();
        resolve(error);
      });
    });
    await workers.kill(1);
    await current().startTask("kubernetes:lab-worker-1");
    expect((await lost).message).toBe("The run failed because worker/1 on Kubernetes was restarted.");
    expect(states()[1]).toBe("worker/1 starting");
    await workers.start(1);
    await schedulePods(api, NAMESPACE, server);
    await reportPod(api, NAMESPACE, "lab-worker-1", running);
    await bothRun();
  }, 60_000);

  it("names the task of a pod that fails", async () => {
    await reportPod(api, NAMESPACE, "lab-worker-1", {
      ready: false,
      state: { waiting: { reason: "ImagePullBackOff", message: "no such image" } },
    });
    await vi.waitFor(() => expect(states()[1]).toBe("worker/1 failed"));
    expect(current().tasks()[1]?.snapshot.problem).toMatchObject({
      message: "Pod lab-worker-1 does not run: its image cannot be had.",
      task: "worker/1",
    });
    await reportPod(api, NAMESPACE, "lab-worker-1", running);
    await bothRun();
  });

  it("has another task when its job is scaled, and one less again", async () => {
    await service.scale("lab", "worker", 3);
    expect(states()).toEqual(["worker/0 running", "worker/1 running", "worker/2 starting"]);
    await schedulePods(api, NAMESPACE, server);
    await reportPod(api, NAMESPACE, "lab-worker-2", running);
    const added = await vi.waitFor(() => {
      const address = current().tasks()[2]?.address ?? "";
      expect(address).not.toBe("");
      return address;
    });
    await service.scale("lab", "worker", 2);
    expect(states()).toEqual(["worker/0 running", "worker/1 running"]);
    const refused = connect(Number(added.split(":")[1]), "127.0.0.1");
    expect((await once(refused, "error"))[0]).toMatchObject({ code: "ECONNREFUSED" });
  });

  it("closes its ports when it is left", async () => {
    const port = Number(current().tasks()[0]?.address.split(":")[1]);
    const left = current();
    await service.use(undefined);
    expect(used).toBeUndefined();
    expect(service.state().used).toBeUndefined();
    const refused = connect(port, "127.0.0.1");
    expect((await once(refused, "error"))[0]).toMatchObject({ code: "ECONNREFUSED" });
    expect(left.tasks()[0]).toMatchObject({
      state: "failed",
      snapshot: { problem: { message: "The cluster lab was left." } },
    });
  });

  it("is left when it is deleted, and when the connection ends", async () => {
    await service.use("lab");
    await service.remove("lab");
    await vi.waitFor(() => expect(used).toBeUndefined());
    await service.deploy(LAB);
    await service.use("lab");
    await service.disconnect();
    expect(used).toBeUndefined();
  });

  it("shows what its tasks take, where the cluster measures it", async () => {
    await service.connect({ kubeconfig });
    expect(service.state().measuresLoad).toBe(false);
    kubelet.usage.set("lab-worker-0", { cpu: "1500m", memory: "256Mi" });
    await service.connect({ kubeconfig });
    expect(service.state()).toMatchObject({
      measuresLoad: true,
      clusters: [{ tasks: [{ pod: "lab-worker-0", usage: { cores: 1.5, memoryBytes: 2 ** 28 } }, {}, {}] }],
    });
  });
});
