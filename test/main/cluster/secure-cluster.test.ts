import { describe, expect, it } from "vitest";
import { failure, openClusters } from "../support/open-clusters.js";
import { until } from "../support/until.js";

const make = openClusters();

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
    // A run that follows at once finds everything in place.
    expect([...reached]).toEqual([3000]);
    expect(cluster.hasLocalServer(3000)).toBe(true);
    expect(host("gpu-pc").tunnels?.tunnels[0]?.port).toBe(3000);
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
      "worker/0 is at localhost:2222, which on gpu-pc means that machine itself.",
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
      message: "gpu-pc does not let other machines start tasks that the network reaches.",
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
