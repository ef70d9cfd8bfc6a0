/** The life of a cluster of two real installations when its settings and its machines change. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ClusterState, Task } from "../../main/api/cluster.js";
import { peerMissing, tensorflowPython } from "../support/peers.js";
import { environmentWithoutProxies } from "../support/processes.js";
import { Installation } from "./support/installation.js";
import { Network } from "./support/network.js";
import { runScriptOn } from "./support/python.js";

describe.skipIf(peerMissing("namespaces"))("a cluster of two machines", () => {
  let network: Network;
  let gpuPc: Installation;
  let pi: Installation;
  let piId: string;

  const tasksIn = (state: Pick<ClusterState, "machines">): Task[] =>
    state.machines.flatMap(({ tasks }) => tasks);
  /** Resolves with the first state, as gpu-pc sees it, that fits. */
  async function clusterThat(fits: (state: ClusterState) => boolean, millis = 60_000): Promise<ClusterState> {
    const coming = gpuPc.api.next("cluster", fits, millis);
    coming.catch(() => undefined);
    const now = await gpuPc.api.call("cluster.get");
    return fits(now) ? now : await coming;
  }
  const taskIn = (state: ClusterState, name: string): Task | undefined =>
    tasksIn(state).find(({ job, index }) => `${job}/${index}` === name);
  const bothRun = (state: Pick<ClusterState, "machines">) =>
    tasksIn(state).length === 2 && tasksIn(state).every((task) => task.state === "running");
  const value = async () => {
    const { problem, fetches } = await gpuPc.runWelcome();
    return problem?.message ?? fetches[0]?.values[0];
  };

  beforeAll(async () => {
    network = await Network.create(2, { names: ["gpu-pc", "raspberrypi"] });
    [gpuPc, pi] = await Promise.all([
      Installation.start(network.host("gpu-pc")),
      Installation.start(network.host("raspberrypi")),
    ]);
    await gpuPc.pairWith(pi);
    piId = await pi.id();
    await gpuPc.api.call("cluster.addTasks", { job: "worker", count: 1 });
    await gpuPc.api.call("cluster.addTasks", { machineId: piId, job: "worker", count: 1 });
    await clusterThat(bothRun);
  });

  afterAll(async () => {
    await Promise.all([gpuPc?.stop(), pi?.stop()]);
    await network?.dispose();
  });

  test("computes with fixed membership, too", async () => {
    await gpuPc.api.call("cluster.setMembership", { membership: "fixed" });
    await clusterThat(bothRun);
    expect(await value()).toBe("11.0");
    // On the other machine, whose own window chose nothing.
    await pi.cluster(({ membership, machines }) => membership === "fixed" && bothRun({ machines }));
    expect((await pi.runWelcome()).fetches[0]?.values).toEqual(["11.0"]);
  });

  test.skipIf(peerMissing("tensorflow"))(
    "serves scripts of the other machine through its gateway",
    async () => {
      const { gateway } = await pi.api.call("cluster.get");
      expect(await runScriptOn(pi.host, "s1_two_tasks.py", [gateway?.target ?? ""])).toContain("11.0");
    },
  );

  test("computes with dynamic membership again", async () => {
    await gpuPc.api.call("cluster.setMembership", { membership: "dynamic" });
    await clusterThat(bothRun);
    expect(await value()).toBe("11.0");
  });

  test("computes when it is open, by addresses of the network, and closed again", async () => {
    await expect(gpuPc.api.call("cluster.setAccess", { access: "open" })).rejects.toMatchObject({
      problem: {
        code: "PERMISSION_DENIED",
        message: "raspberrypi does not let other machines start tasks that the network reaches.",
      },
    });
    expect((await gpuPc.api.call("cluster.get")).access).toBe("secure");
    await pi.api.call("settings.set", { allowExposedTasks: true });
    await gpuPc.cluster(({ machines }) =>
      machines.some(({ exposure, kind }) => kind === "paired" && exposure?.allowed),
    );
    await gpuPc.api.call("cluster.setAccess", { access: "open" });
    const open = await clusterThat(bothRun);
    for (const { address } of tasksIn(open)) expect(address).not.toContain("localhost");
    expect(await value()).toBe("11.0");
    await gpuPc.api.call("cluster.setAccess", { access: "secure" });
    const secure = await clusterThat(bothRun);
    for (const { address } of tasksIn(secure)) expect(address).toContain("localhost");
    expect(await value()).toBe("11.0");
  });

  test("moves a task to the other machine as the table says", async () => {
    const state = await clusterThat(bothRun);
    const here = state.machines[0]?.id ?? "";
    const rows = (machineOf: (name: string) => string) =>
      tasksIn(state).map(({ id: taskId, job, index, engine, gpu }) => ({
        ...{ taskId, job, index, engine, gpu },
        machineId: machineOf(`${job}/${index}`),
      }));
    await gpuPc.api.call("cluster.applyTable", { rows: rows(() => here) });
    await clusterThat((now) => bothRun(now) && now.machines[0]?.tasks.length === 2);
    expect(await value()).toBe("11.0");
    await gpuPc.api.call("cluster.applyTable", { rows: rows((name) => (name === "worker/1" ? piId : here)) });
    await clusterThat((now) => bothRun(now) && now.machines[0]?.tasks.length === 1);
    expect(await value()).toBe("11.0");
  });

  test.skipIf(peerMissing("tensorflow"))(
    "uses a server that somebody started on its machine, from the other one as well",
    async () => {
      // One at which the other machine takes a tunnel.
      const port = 2777;
      const script = `
import signal, tensorflow as tf
tf.distribute.Server({"local": ["127.0.0.1:${port}"]}, job_name="local", task_index=0)
print("serves", flush=True)
signal.pause()`;
      const server = await gpuPc.host.spawn(tensorflowPython(), ["-c", script], {
        env: { ...environmentWithoutProxies(), CUDA_VISIBLE_DEVICES: "-1" },
        ready: /serves/,
      });
      const [first] = tasksIn(await clusterThat(bothRun));
      await gpuPc.api.call("cluster.removeTask", { taskId: first?.id ?? "" });
      const address = `127.0.0.1:${port}`;
      const id = await gpuPc.api.call("cluster.addForeign", { address, job: "worker", index: 0 });
      // worker/1, whose node needs a value of worker/0, is on the other machine.
      await clusterThat((state) => bothRun(state) && taskIn(state, "worker/0")?.foreign === true);
      expect(await value()).toBe("11.0");
      await gpuPc.api.call("cluster.removeTask", { taskId: id });
      await server.stop();
      await gpuPc.api.call("cluster.addTasks", { job: "worker", count: 1 });
      await clusterThat(bothRun);
    },
  );

  test("shows that a machine is gone, and that its task is back with it", async () => {
    const before = taskIn(await clusterThat(bothRun), "worker/1");
    await pi.stop({ signal: "SIGKILL", keep: true });
    const gone = await clusterThat((state) => taskIn(state, "worker/1")?.state === "unresponsive");
    expect(taskIn(gone, "worker/1")?.problem?.message).toBe("raspberrypi does not answer.");
    expect(await value()).toContain("worker/1");
    pi = await Installation.start(network.host("raspberrypi"), {}, pi.folder);
    const back = await clusterThat(bothRun);
    expect(taskIn(back, "worker/1")).toMatchObject({ id: before?.id, colour: before?.colour });
    expect(taskIn(back, "worker/1")?.notice?.message).toMatch(/^worker\/1 was restarted at [\d:]+\.$/);
    expect(await value()).toBe("11.0");
  });
});
