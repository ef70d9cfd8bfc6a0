import { createServer } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { LogLine, Task } from "../../../main/api/cluster.js";
import type { TaskSample } from "../../../main/api/samples.js";
import { ProblemError } from "../../../main/api/wire.js";
import { ClusterService } from "../../../main/cluster/cluster-service.js";
import { deferred } from "../../../main/shared/deferred.js";
import type { LaunchTask } from "../../../main/tasks/launcher.js";
import { LocalTaskHost } from "../../../main/tasks/local-task-host.js";
import { Ports } from "../../../main/tasks/ports.js";
import { MachineList, machineFacts } from "../support/machines.js";
import { type ScriptTasks, SERVES, scriptTasks } from "../support/script-tasks.js";
import { until } from "../support/until.js";

const open: { dispose(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((service) => service.dispose()));
});

/** Processes that obey only when they are let. */
function heldBack(launch: LaunchTask, gate: Promise<void>): LaunchTask {
  return (request) => {
    const process = launch(request);
    return {
      get pid() {
        return process.pid;
      },
      ready: process.ready,
      exited: process.exited,
      notice: () => process.notice(),
      stop: async () => {
        await gate;
        await process.stop();
      },
    };
  };
}

function makeCluster(tasks: ScriptTasks = scriptTasks(), ports?: Ports) {
  const logs = new Map<string, LogLine[]>();
  const { launch, openProbe } = tasks;
  const host = new LocalTaskHost({ launch, openProbe, gpus: () => [], ...(ports ? { ports } : {}) });
  const cluster = new ClusterService({
    machines: new MachineList([{ facts: machineFacts("here", { kind: "this" }), tasks: host }]),
    emit: (event, data) => {
      if (event !== "taskLog" || !data || !("taskId" in data)) return;
      logs.set(data.taskId, [...(logs.get(data.taskId) ?? []), ...data.lines]);
    },
    openProbe,
    discovery: () => ({ state: "off" }),
    stopPsWithLastWorker: async () => false,
  });
  open.push(cluster, host);
  const add = (job: string, count: number) => cluster.addTasks({ job, count });
  const list = (): Task[] => cluster.state().machines[0]?.tasks ?? [];
  const task = (name: string): Task => {
    const found = list().find(({ job, index }) => `${job}/${index}` === name);
    if (!found) throw new Error(`no task ${name}`);
    return found;
  };
  const running = () => until("all tasks run", () => list().every(({ state }) => state === "running"));
  return { cluster, host, tasks, logs, add, list, task, running };
}

describe("tasks of a dynamic cluster", () => {
  it("are listed at once, start alone under a job of their own, and show devices under their own name", async () => {
    const { add, tasks, list, task, running } = makeCluster();
    const ids = await add("worker", 2);
    expect(list().map(({ id }) => id)).toEqual(ids);
    await running();
    expect(new Set(list().map(({ address }) => address)).size).toBe(2);
    expect(tasks.requests.map(({ plan }) => plan.job)).toEqual([
      expect.stringMatching(/^tensordeck_[0-9a-f]{8}$/),
      expect.stringMatching(/^tensordeck_[0-9a-f]{8}$/),
    ]);
    for (const { plan } of tasks.requests) expect(Object.keys(plan.cluster)).toEqual([plan.job]);
    expect(task("worker/1").devices[0]?.name).toBe("/job:worker/replica:0/task:1/device:CPU:0");
    expect(list().map(({ colour }) => colour)).toEqual([0, 1]);
  });

  it("are stopped, started at the same address, restarted and removed", async () => {
    const { cluster, add, task, list, running } = makeCluster();
    const [id = ""] = await add("worker", 1);
    await running();
    const before = task("worker/0");
    await cluster.stopTask(id);
    expect(task("worker/0").state).toBe("stopped");
    expect(task("worker/0").pid).toBeUndefined();
    await cluster.startTask(id);
    await running();
    expect(task("worker/0").address).toBe(before.address);
    expect(task("worker/0").pid).not.toBe(before.pid);
    const again = task("worker/0").pid;
    await cluster.restartTask(id);
    await running();
    expect(task("worker/0").pid).not.toBe(again);
    await cluster.removeTask(id);
    expect(list()).toEqual([]);
    await expect(cluster.startTask(id).catch((error: unknown) => error)).resolves.toBeInstanceOf(
      ProblemError,
    );
  });

  it("move to another port when theirs was taken while they were stopped", async () => {
    const { cluster, add, task, running } = makeCluster();
    const [id = ""] = await add("worker", 1);
    await running();
    const { address } = task("worker/0");
    await cluster.stopTask(id);
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(Number(address.split(":")[1]), () => resolve()));
    try {
      await cluster.startTask(id);
      await running();
      expect(task("worker/0").address).not.toBe(address);
    } finally {
      await new Promise((resolve) => other.close(resolve));
    }
  });

  it("take the lowest index that is free, and another colour than one just freed", async () => {
    const { cluster, add, list } = makeCluster();
    const [first = ""] = await add("worker", 2);
    await cluster.removeTask(first);
    await add("worker", 1);
    expect(list().map(({ index, colour }) => [index, colour])).toEqual([
      [1, 1],
      [0, 2],
    ]);
  });

  it("report how they ended unexpectedly", async () => {
    const { add, tasks, task, running } = makeCluster();
    await add("worker", 1);
    await running();
    tasks.children[0]?.kill("SIGKILL");
    await until("the task has failed", () => task("worker/0").state === "failed");
    expect(task("worker/0").problem).toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      message: "worker/0 ended unexpectedly (signal SIGKILL).",
      reason: expect.stringContaining("memory"),
      details: "up",
      task: "worker/0",
    });
  });

  it("say why they could not start", async () => {
    const { add, task } = makeCluster(scriptTasks(() => `process.exit(3)`));
    await add("worker", 1);
    await until("the task has failed", () => task("worker/0").state === "failed");
    expect(task("worker/0").problem).toMatchObject({
      message: "worker/0 could not start: The port is taken.",
      remedy: expect.stringContaining("Start it again"),
      task: "worker/0",
    });
  });

  it("say what ended them before they were up", async () => {
    const { cluster, add, tasks, task } = makeCluster(
      scriptTasks(() => `console.log("loading"); setTimeout(() => {}, 1e6)`, { silentEndFails: true }),
    );
    await add("worker", 1);
    await vi.waitUntil(async () => (await cluster.taskLog(task("worker/0").id, -1)).length > 0, 20_000);
    tasks.children[0]?.kill("SIGKILL");
    await until("the task has failed", () => task("worker/0").state === "failed");
    expect(task("worker/0").problem).toMatchObject({
      message: "worker/0 could not start: It ended before it was up.",
      reason: expect.stringContaining("memory"),
      details: "loading",
    });
  });

  it("are not started any more once their removal has begun", async () => {
    const tasks = scriptTasks();
    const gate = deferred<void>();
    const { cluster, add, list, running } = makeCluster({
      ...tasks,
      launch: heldBack(tasks.launch, gate.promise),
    });
    const [id = ""] = await add("worker", 1);
    await running();
    const removed = cluster.removeTask(id);
    await until("its stop", () => list()[0]?.state === "stopping");
    const others = [cluster.startTask(id), cluster.restartTask(id), cluster.removeTask(id)].map((call) =>
      call.catch((error: unknown) => error),
    );
    gate.resolve();
    await removed;
    for (const outcome of await Promise.all(others)) expect(outcome).toBeInstanceOf(ProblemError);
    expect(list()).toEqual([]);
    expect(tasks.children.length).toBe(1);
  });

  it("are added all or not at all", async () => {
    let free = 2;
    const ports = new Ports(async () => free-- > 0);
    const { add, list } = makeCluster(scriptTasks(), ports);
    const error = await add("worker", 3).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ problem: { code: "RESOURCE_EXHAUSTED" } });
    expect(list()).toEqual([]);
    free = 1;
    await add("worker", 1);
    expect(list().map(({ index }) => index)).toEqual([0]);
  });

  it("become unresponsive and running again with their answers", async () => {
    const { add, tasks, task, running } = makeCluster();
    await add("worker", 1);
    await running();
    tasks.silent.add(task("worker/0").address);
    await until("unresponsive", () => task("worker/0").state === "unresponsive");
    tasks.silent.clear();
    await running();
  });

  it("can be stopped while they start", async () => {
    const { cluster, add, task } = makeCluster(scriptTasks(() => `setTimeout(() => {}, 1e6)`));
    const [id = ""] = await add("worker", 1);
    await until("a process", () => task("worker/0").pid !== undefined);
    await cluster.stopTask(id);
    expect(task("worker/0").state).toBe("stopped");
  });

  it("are measured every second", async () => {
    const { host, add } = makeCluster();
    const samples: TaskSample[] = [];
    host.onSamples((ofTasks) => samples.push(...ofTasks.values()));
    await add("worker", 1);
    await until("two samples", () => samples.length >= 2);
    expect(samples[0]?.memoryBytes).toBeGreaterThan(1 << 20);
  });

  it("all end with the application", async () => {
    const { host, add, tasks, running } = makeCluster();
    await add("worker", 3);
    await running();
    await host.dispose();
    expect(tasks.children.every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null)).toBe(
      true,
    );
  });
});

describe("the log of a task", () => {
  it("is kept and told in batches, with TensorFlow's levels", async () => {
    const script = `
      console.log("2026-01-31 12:00:00.000000: W tensorflow/x.cc:1] careful");
      for (let i = 0; i < 3000; i++) console.log("line " + i);
      ${SERVES}`;
    const { cluster, add, logs, running } = makeCluster(scriptTasks(() => script));
    const [id = ""] = await add("worker", 1);
    await running();
    await until("all lines", () => (logs.get(id)?.length ?? 0) >= 3002);
    const lines = await cluster.taskLog(id, -1);
    expect(lines[0]).toMatchObject({ sequence: 0, level: "warning" });
    expect(logs.get(id)).toEqual(lines);
    expect((await cluster.taskLog(id, 2998)).map(({ text }) => text)).toEqual([
      "line 2998",
      "line 2999",
      "up",
    ]);
  });

  it("keeps the last 5,000 lines", async () => {
    const script = `for (let i = 0; i < 12000; i++) console.log("line " + i);${SERVES}`;
    const { cluster, add, running } = makeCluster(scriptTasks(() => script));
    const [id = ""] = await add("worker", 1);
    await running();
    const lines = await cluster.taskLog(id, -1);
    expect(lines.length).toBe(5000);
    expect(lines.at(-1)).toMatchObject({ text: "up", sequence: 12_000 });
  });
});

describe("tasks of a fixed cluster", () => {
  it("start with the whole ClusterSpec, and the others are restarted when one joins", async () => {
    const { cluster, add, tasks, task, running, list } = makeCluster();
    await cluster.setMembership("fixed");
    await add("worker", 2);
    await running();
    const [first, second] = list();
    const whole = { worker: { 0: first?.address, 1: second?.address } };
    // Where a port turned out to be taken, a task was told twice.
    const told = [0, 1].map((index) => tasks.requests.findLast(({ plan }) => plan.index === index)?.plan);
    expect(told.map((plan) => [plan?.job, plan?.cluster])).toEqual([
      ["worker", whole],
      ["worker", whole],
    ]);
    const pid = task("worker/0").pid;
    await add("ps", 1);
    expect(cluster.state().notice?.message).toBe("worker/0 and worker/1 are restarted, because ps/0 joined.");
    await until("a new process", () => task("worker/0").pid !== undefined && task("worker/0").pid !== pid);
    await running();
    expect(tasks.requests.at(-1)?.plan.cluster).toEqual({ ...whole, ps: { 0: task("ps/0").address } });
  });

  it("are all restarted when the membership changes", async () => {
    const { cluster, add, tasks, running } = makeCluster();
    await add("worker", 2);
    await running();
    await cluster.setMembership("fixed");
    await running();
    expect(tasks.requests.slice(2).map(({ plan }) => plan.job)).toEqual(["worker", "worker"]);
    await cluster.setMembership("fixed");
    expect(tasks.requests.length).toBe(4);
  });
});
