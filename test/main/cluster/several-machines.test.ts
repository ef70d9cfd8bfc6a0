import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { ProblemError } from "../../../main/api/wire.js";
import type { TaskOrder } from "../../../main/tasks/task-host.js";
import { machineFacts } from "../support/machines.js";
import { type MemoryCluster, memoryCluster } from "../support/memory-cluster.js";
import { MemoryHost } from "../support/memory-host.js";
import { until } from "../support/until.js";

const open: MemoryCluster[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ cluster }) => cluster.dispose()));
});

function make(...args: Parameters<typeof memoryCluster>): MemoryCluster {
  const made = memoryCluster(...args);
  open.push(made);
  return made;
}

async function failure(promise: Promise<unknown>) {
  const error = await promise.catch((thrown: unknown) => thrown);
  if (error instanceof ProblemError) return error.problem;
  throw new Error(`not a ProblemError: ${String(error)}`);
}

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
      { id: "stranger", kind: "discovered" },
    ]);
    for (let port = 2223; port < 2400; port++) host("gpu-pc").takenPorts.add(port);
    const none = await failure(cluster.addTasks({ job: "worker", count: 2, machineId: "gpu-pc" }));
    expect(none.code).toBe("RESOURCE_EXHAUSTED");
    expect(names()).toEqual([]);
    expect((await failure(cluster.addTasks({ job: "ps", count: 1, machineId: "pi" }))).code).toBe(
      "UNAVAILABLE",
    );
    const unpaired = await failure(cluster.addTasks({ job: "ps", count: 1, machineId: "stranger" }));
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
    // What concerns the cluster as a whole concerns its own tasks.
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

  it("is notified when a task restarted unexpectedly", async () => {
    const { cluster, host, task, running } = make();
    const [id = ""] = await cluster.addTasks({ job: "worker", count: 1, machineId: "gpu-pc" });
    await running();
    host("gpu-pc").restartByItself(id);
    // At once: whoever asks for the state before the others are told of the change learns it, too.
    expect(task("worker/0").notice).toMatchObject({
      message: expect.stringMatching(/^worker\/0 was restarted at \d\d:\d\d:\d\d; its variables are gone\.$/),
      remedy: "Run the initialiser again.",
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

describe("a secure cluster", () => {
  it("tells every machine with tasks where to listen and whom to admit, and an open one takes it back", async () => {
    const { cluster, host, running } = make([
      { id: "gpu-pc", addresses: ["10.0.0.2", "fd00::2"] },
      { id: "pi", addresses: ["10.0.0.3"], agentPort: 2221 },
    ]);
    await cluster.addTasks({ job: "worker", count: 1, machineId: "gpu-pc" });
    await cluster.addTasks({ job: "ps", count: 1 });
    await until("tunnels", () => host("gpu-pc").tunnels?.tunnels.length === 1);
    expect(host("here").tunnels).toEqual({
      tunnels: [{ port: 2222, deviceId: "gpu-pc", agentAddresses: ["10.0.0.2:2220", "[fd00::2]:2220"] }],
      admissions: [{ deviceId: "gpu-pc", port: 2223 }],
    });
    expect(host("gpu-pc").tunnels).toEqual({
      tunnels: [{ port: 2223, deviceId: "here", agentAddresses: ["10.0.0.1:2220"] }],
      admissions: [{ deviceId: "here", port: 2222 }],
    });
    expect(host("pi").tunnels).toBeUndefined();
    await running();
    await cluster.setAccess("open");
    await until("no tunnels", () => host("gpu-pc").tunnels?.tunnels.length === 0);
    expect(host("here").tunnels).toEqual({ tunnels: [], admissions: [] });
  });

  it("tells a machine again that was away", async () => {
    const { cluster, machines, host } = make();
    await cluster.addTasks({ job: "worker", count: 1 });
    await cluster.addTasks({ job: "worker", count: 1, machineId: "gpu-pc" });
    await until("tunnels", () => host("gpu-pc").tunnels !== undefined);
    machines.change("gpu-pc", { presence: "offline" });
    await new Promise((resolve) => setImmediate(resolve));
    host("gpu-pc").tunnels = undefined;
    machines.change("gpu-pc", { presence: "online" });
    await until("tunnels again", () => host("gpu-pc").tunnels?.tunnels.length === 1);
  });

  it("says which raw ports the network reaches, once another machine is there", async () => {
    const alone = make([]);
    alone.host("here").isolates = false;
    await alone.cluster.addTasks({ job: "worker", count: 1 });
    await alone.running();
    expect(alone.cluster.state().exposures).toEqual([]);

    const { cluster, machines, host, running } = make();
    host("here").isolates = false;
    await cluster.addTasks({ job: "worker", count: 2 });
    await cluster.addTasks({ job: "worker", count: 1, machineId: "gpu-pc" });
    await running();
    const [exposure, ...others] = cluster.state().exposures;
    expect(others).toEqual([]);
    expect(exposure?.message).toBe("The network reaches worker/0 and worker/1 on here without signing in.");
    expect(exposure?.remedy).toContain("2222, 2223");
    machines.change("gpu-pc", { addresses: ["10.0.0.2"] });
    await cluster.setAccess("open");
    expect(cluster.state().exposures).toEqual([]);
  });

  it("opens by a click: tasks get addresses that the network knows, and shut ports are opened", async () => {
    const { cluster, host, task, running } = make([{ id: "gpu-pc", addresses: ["10.0.0.2"] }]);
    host("here").isolates = false;
    await cluster.addTasks({ job: "worker", count: 1 });
    await cluster.addTasks({ job: "worker", count: 1, machineId: "gpu-pc" });
    await running();
    const [first, second] = cluster.tasks();
    await cluster.setAccess("open");
    await running();
    expect([task("worker/0").address, task("worker/1").address]).toEqual(["10.0.0.1:2222", "10.0.0.2:2223"]);
    expect(host("gpu-pc").orders.at(-1)).toMatchObject({ taskId: second?.id, isolate: false });
    // Its port was open all the time, so its variables need not go.
    expect(cluster.tasks()[0]?.incarnation).toBe(first?.incarnation);
    expect(task("worker/1").colour).toBe(second?.snapshot.colour);
    await cluster.setAccess("secure");
    await running();
    expect(host("gpu-pc").orders.at(-1)?.isolate).toBe(true);
    expect(task("worker/1").address).toBe("localhost:2223");
  });

  it("gives tasks ports of their own when an open cluster is closed", async () => {
    const { cluster, task, running } = make([{ id: "gpu-pc", addresses: ["10.0.0.2"] }]);
    await cluster.setAccess("open");
    await cluster.addTasks({ job: "worker", count: 1 });
    await cluster.addTasks({ job: "worker", count: 1, machineId: "gpu-pc" });
    await running();
    expect([task("worker/0").address, task("worker/1").address]).toEqual(["10.0.0.1:2222", "10.0.0.2:2222"]);
    await cluster.setAccess("secure");
    await running();
    expect([task("worker/0").address, task("worker/1").address]).toEqual([
      "localhost:2222",
      "localhost:2223",
    ]);
  });
});

describe("foreign servers in a secure cluster", () => {
  const answers = {
    openProbe: () => ({ check: async () => ({ devices: [], incarnation: "1" }), close: () => undefined }),
  };

  it("of other machines are not used beside tasks of ours, whose tunnels they lack", async () => {
    const { cluster, task } = make([{ id: "gpu-pc", addresses: ["10.0.0.2"] }], answers);
    await cluster.addForeign({ address: "10.0.0.2:3000", job: "worker" });
    expect(cluster.tasks()[0]).toMatchObject({ machineId: "gpu-pc", unusable: undefined });
    await cluster.addTasks({ job: "worker", count: 1 });
    expect(task("worker/0").notice?.message).toBe("worker/0 cannot take part in a secure cluster.");
    expect(cluster.state().exposures.at(-1)?.message).toContain("worker/0 at 10.0.0.2:3000");
    await cluster.setAccess("open");
    expect(cluster.tasks().find(({ foreign }) => foreign)?.unusable).toBeUndefined();
  });

  it("of this machine are, on localhost like all others, and are brought within reach of isolated tasks", async () => {
    const reached = new Set<number>();
    const { cluster, host, task } = make(undefined, {
      ...answers,
      reachPort: async (port) => {
        reached.add(port);
        return () => reached.delete(port);
      },
    });
    await cluster.addTasks({ job: "worker", count: 1, machineId: "gpu-pc" });
    // By the address that others have of this machine.
    const id = await cluster.addForeign({ address: "10.0.0.1:3000", job: "worker" });
    expect(task("worker/1").address).toBe("localhost:3000");
    await until("within reach", () => reached.has(3000));
    expect(cluster.hasLocalServer(3000)).toBe(true);
    await until("a tunnel", () => host("gpu-pc").tunnels?.tunnels[0]?.port === 3000);
    await cluster.removeTask(id);
    await until("out of reach", () => reached.size === 0);
  });
});

describe("an open cluster", () => {
  it("says when a machine without an address in the network has a task that others need", async () => {
    const { cluster, machines, task } = make([{ id: "gpu-pc", addresses: ["10.0.0.2"] }]);
    machines.change("here", { addresses: [] });
    await cluster.setAccess("open");
    await cluster.addTasks({ job: "worker", count: 1 });
    expect(task("worker/0").notice).toBeUndefined();
    await cluster.addTasks({ job: "worker", count: 1, machineId: "gpu-pc" });
    expect(task("worker/0").notice?.message).toBe(
      "worker/0 is at localhost:2222, where gpu-pc would look on itself.",
    );
  });
});

describe("a machine whose user lets the network reach no task of others", () => {
  const never = { allowed: false, avoidable: true };

  it("keeps the cluster from being opened, with nothing changed, until that is allowed there", async () => {
    const { cluster, machines, task, running, host } = make([{ id: "gpu-pc", exposure: never }]);
    await cluster.addTasks({ job: "worker", count: 1, machineId: "gpu-pc" });
    await cluster.setMembership("fixed");
    await running();
    const before = cluster.tasks().map(({ incarnation }) => incarnation);
    expect(await failure(cluster.setAccess("open"))).toMatchObject({
      code: "PERMISSION_DENIED",
      message: "gpu-pc lets no other machine start tasks that the network reaches.",
      remedy: expect.stringContaining("in the settings there"),
    });
    expect(cluster.access).toBe("secure");
    expect(cluster.tasks().map(({ incarnation }) => incarnation)).toEqual(before);
    machines.change("gpu-pc", { exposure: { ...never, allowed: true } });
    await cluster.setAccess("open");
    await running();
    expect(host("gpu-pc").orders.at(-1)).toMatchObject({ isolate: false });
    expect(task("worker/0").state).toBe("running");
  });

  it("gets tasks on the portable engine where TensorFlow's cannot be shut off", async () => {
    const engines = (["tensorflow", "portable"] as const).map((engine) => ({
      ...{ engine, version: "1", gpu: false },
    }));
    const { cluster, machines, host } = make([
      { id: "mac", engines, exposure: { ...never, avoidable: false } },
    ]);
    await cluster.addTasks({ job: "worker", count: 1, machineId: "mac" });
    machines.change("mac", { exposure: never });
    await cluster.addTasks({ job: "worker", count: 1, machineId: "mac" });
    expect(host("mac").orders.map(({ engine }) => engine)).toEqual(["portable", "tensorflow"]);
  });
});

describe("a fixed cluster of several machines", () => {
  it("starts with the whole ClusterSpec everywhere, parameter servers first", async () => {
    const { cluster, host, running } = make();
    const [worker = ""] = await cluster.addTasks({ job: "worker", count: 1 });
    const [ps = ""] = await cluster.addTasks({ job: "ps", count: 1, machineId: "gpu-pc" });
    await running();
    const order: string[] = [];
    for (const id of ["here", "gpu-pc"]) {
      const { commands } = host(id);
      commands.length = 0;
      const push = commands.push.bind(commands);
      commands.push = (...texts: string[]) => {
        order.push(...texts);
        return push(...texts);
      };
    }
    await cluster.setMembership("fixed");
    await running();
    expect(order.slice(0, 2).sort()).toEqual(["stop ps/0", "stop worker/0"]);
    expect(order.slice(2)).toEqual(["start ps/0", "start worker/0"]);
    const whole = { cluster: { worker: { 0: "localhost:2222" }, ps: { 0: "localhost:2223" } } };
    expect(host("here").fixed.get(worker)).toEqual(whole);
    expect(host("gpu-pc").fixed.get(ps)).toEqual(whole);
  });

  it("updates its tasks when a port turned out to be taken", async () => {
    const { cluster, host, running } = make();
    await cluster.setMembership("fixed");
    host("gpu-pc").takenPorts.add(2223);
    const ids = await cluster.addTasks({ job: "worker", count: 2, machineId: "gpu-pc" });
    await running();
    const whole = { cluster: { worker: { 0: "localhost:2222", 1: "localhost:2224" } } };
    expect(ids.map((id) => host("gpu-pc").fixed.get(id))).toEqual([whole, whole]);
  });
});

describe("a cluster that another machine's window started", () => {
  const order = (taskId: string, more: Partial<TaskOrder> = {}): TaskOrder => ({
    ...{ taskId, job: "worker", index: 0, engine: "tensorflow", gpu: "auto", port: 2222 },
    ...{ isolate: true, owner: "gpu-pc" },
    ...more,
  });
  const fixed = { cluster: { worker: { 0: "localhost:2222", 1: "localhost:2223" } } };

  it("is fixed where its tasks are, and what is added here joins it as one", async () => {
    const { cluster, host, running } = make();
    await host("here").start(order("a", { fixed }));
    await host("gpu-pc").start(order("b", { fixed, index: 1, port: 2223 }));
    await running();
    expect(cluster.membership).toBe("fixed");
    expect(cluster.state().membership).toBe("fixed");
    expect(cluster.tasks().map(({ unusable }) => unusable)).toEqual([undefined, undefined]);
    const [id = ""] = await cluster.addTasks({ job: "worker", count: 1 });
    await running();
    expect(host("here").fixed.get(id)?.cluster).toEqual({
      worker: { 0: "localhost:2222", 1: "localhost:2223", 2: "localhost:2224" },
    });
    expect(cluster.membership).toBe("fixed");
    await cluster.setMembership("dynamic");
    await running();
    expect(cluster.membership).toBe("dynamic");
    expect(host("gpu-pc").fixed.get("b")).toBeUndefined();
  });

  it("leaves out the tasks that were started in the other way, and says why", async () => {
    const { cluster, host, task, running } = make();
    await cluster.addTasks({ job: "ps", count: 1 });
    await host("gpu-pc").start(order("b", { fixed, index: 1, port: 2223 }));
    await running();
    expect(cluster.membership).toBe("dynamic");
    expect(task("ps/0").notice).toBeUndefined();
    expect(task("worker/1").notice?.message).toBe(
      "worker/1 cannot take part: it was started for a fixed cluster.",
    );
    await cluster.restartTask("b");
    await running();
    expect(task("worker/1").notice).toBeUndefined();
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
      expect(after.cluster.state()).toMatchObject({ membership: "fixed", access: "open" });
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
