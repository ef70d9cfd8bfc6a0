import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { machineFacts } from "../support/machines.js";
import { MemoryHost } from "../support/memory-host.js";
import { failure, openClusters } from "../support/open-clusters.js";
import { until } from "../support/until.js";

const make = openClusters();

describe("tasks on several machines", () => {
  it("get unused indices, unused ports, and addresses that are the same everywhere", async () => {
    const { cluster, names, task, host } = make();
    await cluster.addTasks({ job: "worker", count: 2 });
    await cluster.addTasks({ job: "worker", count: 1, machineId: "gpu-pc" });
    await cluster.addTasks({ job: "ps", count: 1, machineId: "gpu-pc" });
    expect(names()).toEqual(["worker/0 on here", "worker/1 on here", "worker/2 on gpu-pc", "ps/0 on gpu-pc"]);
    const addresses = ["worker/0", "worker/1", "worker/2", "ps/0"].map((name) => task(name).address);
    expect(addresses).toEqual(["localhost:2222", "localhost:2223", "localhost:2224", "localhost:2225"]);
    expect(host("gpu-pc").orders[0]).toMatchObject({ isolate: true, owner: "here", gpu: "auto" });
    expect(new Set(["worker/0", "worker/1", "worker/2", "ps/0"].map((name) => task(name).colour)).size).toBe(
      4,
    );
  });

  it("take the index, the engine and the GPUs that were asked for", async () => {
    const { cluster, machines, host, task } = make();
    await cluster.addTasks({ job: "worker", count: 1, index: 4, machineId: "gpu-pc", gpu: [1] });
    expect(host("gpu-pc").orders[0]).toMatchObject({ index: 4, gpu: [1], engine: "tensorflow" });
    expect(task("worker/4").gpu).toEqual([1]);
    const gpus = [{ index: 0, name: "H200", memoryBytes: 1, processes: [] }];
    machines.change("gpu-pc", { gpus });
    const missing = await failure(
      cluster.addTasks({ job: "ps", count: 1, machineId: "gpu-pc", gpu: [0, 3] }),
    );
    expect(missing).toMatchObject({ message: "gpu-pc has no GPU 3.", remedy: "Choose from 0 (H200)." });
    const again = await failure(cluster.addTasks({ job: "worker", count: 1, index: 4 }));
    expect(again).toMatchObject({ code: "ALREADY_EXISTS", remedy: expect.stringContaining("worker/0") });
  });

  it("move on to the next port where one is taken on their own machine, or on another that must listen there", async () => {
    const { cluster, host, task } = make();
    host("gpu-pc").takenPorts.add(2222);
    await cluster.addTasks({ job: "worker", count: 1, machineId: "gpu-pc" });
    expect(task("worker/0").address).toBe("localhost:2223");
    host("here").takenPorts.add(2222).add(2224);
    await cluster.addTasks({ job: "worker", count: 1, machineId: "gpu-pc" });
    expect(task("worker/1").address).toBe("localhost:2225");
    expect(task("worker/1").notice).toBeUndefined();
  });

  it("are added all or none, and not on machines that are offline or unpaired", async () => {
    const { cluster, host, names } = make([
      { id: "gpu-pc" },
      { id: "pi", presence: "offline" },
      { id: "unpaired", kind: "discovered" },
    ]);
    for (let port = 2223; port < 2400; port++) host("gpu-pc").takenPorts.add(port);
    const none = await failure(cluster.addTasks({ job: "worker", count: 2, machineId: "gpu-pc" }));
    expect(none.code).toBe("RESOURCE_EXHAUSTED");
    expect(names()).toEqual([]);
    expect((await failure(cluster.addTasks({ job: "ps", count: 1, machineId: "pi" }))).code).toBe(
      "UNAVAILABLE",
    );
    const unpaired = await failure(cluster.addTasks({ job: "ps", count: 1, machineId: "unpaired" }));
    expect(unpaired.message).toContain("not paired");
    expect((await failure(cluster.addTasks({ job: "ps", count: 1, machineId: "gone" }))).code).toBe(
      "NOT_FOUND",
    );
  });

  it("are stopped, started, cleared, read and removed where they are", async () => {
    const { cluster, host, names, running } = make();
    const [id = ""] = await cluster.addTasks({ job: "worker", count: 1, machineId: "gpu-pc" });
    await running();
    const before = cluster.tasks()[0]?.incarnation;
    await cluster.clearState(id);
    expect(cluster.tasks()[0]?.incarnation).not.toBe(before);
    await cluster.stopTask(id);
    await cluster.startTask(id);
    await running();
    await cluster.restartTask(id);
    await running();
    expect(host("gpu-pc").commands).toEqual([
      "start worker/0",
      "clear worker/0",
      "stop worker/0",
      "start worker/0",
      "stop worker/0",
      "start worker/0",
    ]);
    expect((await cluster.taskLog(id, -1))[0]?.text).toBe("from far away");
    expect(cluster.state().machines[1]?.tasks[0]?.notice).toBeUndefined();
    await cluster.removeTask(id);
    expect(names()).toEqual([]);
  });

  it("that another window made are shown; of two with one name sessions use the first", async () => {
    const { cluster, host, task, running } = make();
    await cluster.addTasks({ job: "worker", count: 1 });
    await host("gpu-pc").start({
      ...{ taskId: "theirs", job: "worker", index: 0, engine: "tensorflow", gpu: "auto", port: 2222 },
      ...{ isolate: true, owner: "gpu-pc" },
    });
    await running();
    const [ours, theirs] = cluster.tasks();
    expect(ours?.unusable).toBeUndefined();
    expect(theirs?.unusable?.message).toBe("There is another worker/0, on here.");
    expect(theirs?.snapshot.notice).toEqual(theirs?.unusable);
    expect(task("worker/0").id).toBe(ours?.id);
  });

  it("that have one port on two machines say so, and get another when they are restarted", async () => {
    const { cluster, host, task, running } = make();
    await cluster.addTasks({ job: "worker", count: 1 });
    await host("gpu-pc").start({
      ...{ taskId: "theirs", job: "ps", index: 0, engine: "tensorflow", gpu: "auto", port: 2222 },
      ...{ isolate: true, owner: "gpu-pc" },
    });
    await running();
    expect(task("ps/0").notice?.message).toBe("ps/0 has the same port as worker/0 on here.");
    await cluster.restartTask("theirs");
    await running();
    expect(task("ps/0").address).toBe("localhost:2223");
    expect(cluster.tasks().every(({ unusable }) => unusable === undefined)).toBe(true);
  });

  it("that another machine added are left alone where this one may command its own only", async () => {
    const { cluster, machines, host, task, running, row } = make([{ id: "pi", role: "run" }]);
    await cluster.addTasks({ job: "worker", count: 1, machineId: "pi" });
    await host("pi").start({
      ...{ taskId: "theirs", job: "ps", index: 0, engine: "tensorflow", gpu: "auto", port: 2230 },
      ...{ isolate: true, owner: "laptop" },
    });
    await running();
    host("pi").commands.length = 0;
    const refused = { code: "PERMISSION_DENIED", message: "ps/0 on pi was added by another machine." };
    expect(task("worker/0").locked).toBeUndefined();
    expect(task("ps/0").locked).toMatchObject(refused);
    for (const command of [
      () => cluster.stopTask("theirs"),
      () => cluster.startTask("theirs"),
      () => cluster.restartTask("theirs"),
      () => cluster.clearState("theirs"),
      () => cluster.removeTask("theirs"),
      () => cluster.applyTable([row("worker/0")]),
      () => cluster.applyTable([row("worker/0"), row("ps/0", { index: 3 })]),
    ]) {
      expect(await failure(command())).toMatchObject(refused);
    }
    expect((await cluster.taskLog("theirs", -1))[0]?.text).toBe("from far away");
    // A change of the cluster as a whole concerns its own tasks.
    await cluster.setMembership("fixed");
    await running();
    expect(host("pi").commands).toEqual(["stop worker/0", "start worker/0"]);
    machines.change("pi", { role: "manage" });
    await cluster.stopTask("theirs");
    expect(task("ps/0").state).toBe("stopped");
  });

  it("on a machine that this one may only look at are not used", async () => {
    const { cluster, host } = make([{ id: "pi", role: "view" }]);
    await host("pi").start({
      ...{ taskId: "theirs", job: "worker", index: 0, engine: "tensorflow", gpu: "auto", port: 2222 },
      ...{ isolate: true, owner: "pi" },
    });
    expect(cluster.tasks()[0]?.unusable).toMatchObject({ code: "PERMISSION_DENIED" });
    expect(host("pi").tunnels).toBeUndefined();
  });
});

describe("the health of tasks on other machines", () => {
  it("is that of their machine: one that does not answer takes its tasks along, and back", async () => {
    const { cluster, machines, task, running } = make([{ id: "raspberrypi" }]);
    await cluster.addTasks({ job: "worker", count: 1, machineId: "raspberrypi" });
    await running();
    machines.change("raspberrypi", { presence: "offline" });
    expect(task("worker/0")).toMatchObject({
      state: "unresponsive",
      problem: { message: "raspberrypi does not answer." },
    });
    machines.change("raspberrypi", { presence: "online" });
    expect(task("worker/0").state).toBe("running");
    expect(task("worker/0").problem).toBeUndefined();
  });

  it("lets a task here take the name of one whose machine does not answer, and says so when it is back", async () => {
    const { cluster, machines, names, running, task } = make([{ id: "raspberrypi" }]);
    await cluster.addTasks({ job: "worker", count: 1, machineId: "raspberrypi" });
    await running();
    expect(task("worker/0").unreachable).toBeUndefined();
    const again = { job: "worker", count: 1, index: 0 };
    expect((await failure(cluster.addTasks(again))).code).toBe("ALREADY_EXISTS");
    machines.change("raspberrypi", { presence: "offline" });
    expect(task("worker/0").unreachable).toBe(true);
    await cluster.addTasks(again);
    expect(names()).toEqual(["worker/0 on here", "worker/0 on raspberrypi"]);
    machines.change("raspberrypi", { presence: "online" });
    const [here, there] = cluster.tasks();
    expect(here?.unusable).toBeUndefined();
    expect(there?.unusable?.message).toBe("There is another worker/0, on here.");
  });

  it("is notified when a task restarted unexpectedly", async () => {
    const { cluster, host, task, running } = make();
    const [id = ""] = await cluster.addTasks({ job: "worker", count: 1, machineId: "gpu-pc" });
    await running();
    host("gpu-pc").restartByItself(id);
    // At once: whoever asks for the state before the others are told of the change learns it, too.
    expect(task("worker/0").notice).toMatchObject({
      message: expect.stringMatching(/^worker\/0 was restarted at \d\d:\d\d:\d\d\.$/),
    });
    cluster.noteVariables([id]);
    host("gpu-pc").restartByItself(id);
    expect(task("worker/0").notice).toMatchObject({
      message: expect.stringMatching(/^worker\/0 was restarted at \d\d:\d\d:\d\d; its variables are gone\.$/),
      remedy: "Run the initializer again.",
    });
    await cluster.restartTask(id);
    await running();
    expect(task("worker/0").notice).toBeUndefined();
  });

  it("mentions different versions of TensorFlow once both are used", async () => {
    const { cluster } = make([
      { id: "gpu-pc", engines: [{ engine: "tensorflow", version: "2.19.1", gpu: true }] },
    ]);
    await cluster.addTasks({ job: "worker", count: 1 });
    expect(cluster.state().notice).toBeUndefined();
    await cluster.addTasks({ job: "worker", count: 1, machineId: "gpu-pc" });
    expect(cluster.state().notice).toMatchObject({
      message: "The machines run different versions of TensorFlow.",
      reason: expect.stringContaining("here has 2.21.0, gpu-pc has 2.19.1"),
    });
  });
});

describe("parameter servers", () => {
  it("stop with the last worker where the settings say so", async () => {
    let wanted = false;
    const { cluster, task, running } = make(undefined, { stopPsWithLastWorker: async () => wanted });
    await cluster.addTasks({ job: "ps", count: 1, machineId: "gpu-pc" });
    const [first = "", second = ""] = await cluster.addTasks({ job: "worker", count: 2 });
    await running();
    await cluster.stopTask(first);
    await cluster.stopTask(second);
    expect(task("ps/0").state).toBe("running");
    wanted = true;
    await cluster.startTask(second);
    await until("it runs", () => task("worker/1").state === "running");
    await cluster.removeTask(second);
    expect(task("ps/0").state).toBe("stopped");
    expect(cluster.state().notice?.message).toBe("ps/0 was stopped with the last worker.");
  });
});

describe("what is kept of a cluster", () => {
  it("is its membership, its access and its colours", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tensordeck-cluster-"));
    try {
      const file = join(folder, "cluster.json");
      const before = make(undefined, { file });
      await before.cluster.setMembership("fixed");
      await before.cluster.setAccess("open");
      await before.cluster.addTasks({ job: "worker", count: 2 });
      const [, second] = before.cluster.tasks();
      await before.cluster.dispose();

      const after = make(undefined, { file });
      await after.cluster.loaded;
      await after.host("here").start({
        ...{
          taskId: second?.id ?? "",
          job: "worker",
          index: 1,
          engine: "tensorflow",
          gpu: "auto",
          port: 2223,
        },
        ...{ isolate: true, owner: "here", fixed: { cluster: {} } },
      });
      expect(after.task("worker/1").colour).toBe(second?.snapshot.colour);
      expect(after.task("worker/1").notice).toBeUndefined();
      expect(after.cluster.state()).toMatchObject({ membership: "fixed", access: "open" });
      await after.cluster.dispose();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("is which servers have variables, so that it is said of those that are replaced meanwhile", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tensordeck-cluster-"));
    try {
      const file = join(folder, "cluster.json");
      const before = make(undefined, { file });
      const ids = await before.cluster.addTasks({ job: "worker", count: 3, machineId: "gpu-pc" });
      await before.running();
      const [lost = "", kept = ""] = ids;
      // A server that was cleared is the same one to whoever asks after a restart.
      await before.cluster.clearState(kept);
      before.cluster.noteVariables([lost, kept]);
      await before.cluster.dispose();

      before.host("gpu-pc").restartByItself(lost);
      const after = make([], { file });
      await after.cluster.loaded;
      const host = before.host("gpu-pc");
      after.machines.add({ facts: machineFacts("gpu-pc"), tasks: host, tunnels: host });
      expect(after.task("worker/0").notice?.message).toMatch(
        /^worker\/0 was restarted at .*variables are gone/,
      );
      expect(after.task("worker/1").notice).toBeUndefined();
      expect(after.task("worker/2").notice).toBeUndefined();
      await after.cluster.dispose();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("includes machines that come later", async () => {
    const { cluster, machines, names } = make([]);
    const host = new MemoryHost();
    machines.add({ facts: machineFacts("late"), tasks: host, tunnels: host });
    await cluster.addTasks({ job: "worker", count: 1, machineId: "late" });
    expect(names()).toEqual(["worker/0 on late"]);
  });
});
