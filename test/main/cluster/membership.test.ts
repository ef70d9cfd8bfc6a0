import { describe, expect, it } from "vitest";
import type { TaskOrder } from "../../../main/tasks/task-host.js";
import { openClusters } from "../support/open-clusters.js";

const make = openClusters();

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
