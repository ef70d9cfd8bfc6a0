import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Role } from "../../../../main/api/machines.js";
import type { MachineSample, TaskSample } from "../../../../main/api/samples.js";
import { ProblemError } from "../../../../main/api/wire.js";
import type { AgentConnection } from "../../../../main/peers/agent/agent-connection.js";
import type { TaskOrder } from "../../../../main/tasks/task-host.js";
import { until } from "../../support/until.js";
import { pair, TestAgent } from "./agents.js";

let gpuPc: TestAgent;
let laptop: TestAgent;

beforeEach(async () => {
  [gpuPc, laptop] = await Promise.all([TestAgent.start("gpu-pc"), TestAgent.start("laptop")]);
});

afterEach(async () => {
  await Promise.all([laptop.dispose(), gpuPc.dispose()]);
});

const signal = new AbortController().signal;

async function connected(role: Role): Promise<AgentConnection> {
  await pair(gpuPc, laptop, role);
  const connection = laptop.connect(gpuPc);
  await until("gpu-pc is online", () => connection.facts().presence === "online");
  return connection;
}

async function problemFrom(work: Promise<unknown>): Promise<ProblemError["problem"]> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ProblemError) return error.problem;
  throw new Error(`not a problem: ${String(error)}`);
}

const sample: MachineSample = {
  at: 5000,
  cpuPercent: 12.5,
  memoryUsedBytes: 2 ** 30,
  receivedBytesPerSecond: 10,
  sentBytesPerSecond: 20,
  gpus: [
    {
      index: 0,
      usedBytes: 5 * 2 ** 20,
      busyPercent: 12,
      processes: [{ pid: 42, name: "node", memoryBytes: 2 ** 20, taskId: "t1" }],
    },
    { index: 1, processes: [] },
  ],
};

const order: TaskOrder = {
  taskId: "t1",
  job: "worker",
  index: 0,
  engine: "tensorflow",
  gpu: [0, 1],
  port: 2322,
  isolate: true,
  owner: "",
};

describe("what a paired machine says of itself", () => {
  test("facts, role, distance and clock", async () => {
    const connection = await connected("run");
    const facts = connection.facts();
    expect(facts).toMatchObject({
      id: gpuPc.identity.deviceId,
      ...gpuPc.machine.description(),
      presence: "online",
      role: "run",
    });
    const samples: MachineSample[] = [];
    connection.onSample((measured) => samples.push(measured));
    await until("a ping was answered", () => {
      gpuPc.machine.measure(sample);
      return samples.at(-1)?.roundTripMillis !== undefined;
    });
    const { roundTripMillis = 0, clockOffsetMillis = Infinity } = samples.at(-1) ?? {};
    expect(roundTripMillis).toBeGreaterThan(0);
    // It is the same clock, read in whole milliseconds at some moment of the way there and back.
    expect(Math.abs(clockOffsetMillis)).toBeLessThanOrEqual(roundTripMillis + 2);
    expect(facts.problem).toBeUndefined();
    expect(connection.address).toBe(gpuPc.address);
  });

  test("what can compute there is answered after that machine has looked", async () => {
    const connection = await connected("view");
    gpuPc.tasks.found = [{ engine: "portable", version: "0.1.0", gpu: false }];
    expect(gpuPc.machine.description().engines).not.toEqual(gpuPc.tasks.found);
    expect(await connection.engines()).toEqual(gpuPc.tasks.found);
  });

  test("changes of its name and its role come by themselves, and its load apart from them", async () => {
    const connection = await connected("view");
    gpuPc.machine.rename("gpu-box");
    await until("the new name", () => connection.facts().name === "gpu-box");
    const known = gpuPc.trust.get(laptop.identity.deviceId);
    if (!known) throw new Error("not paired");
    await gpuPc.trust.put({ ...known, grantedRole: "manage" });
    await until("the new role", () => connection.facts().role === "manage");
    const samples: MachineSample[] = [];
    connection.onSample((measured) => samples.push(measured));
    let changes = 0;
    connection.onFacts(() => changes++);
    gpuPc.machine.measure(sample);
    await until("the sample", () => samples.length === 1);
    expect(samples).toEqual([expect.objectContaining(sample)]);
    expect(changes).toBe(0);
  });
});

describe("tasks", () => {
  test("start, watch, stop, start again, clear and remove", async () => {
    const connection = await connected("run");
    const task = await connection.start(order);
    expect(task).toMatchObject({
      id: "t1",
      job: "worker",
      gpu: [0, 1],
      port: 2322,
      isolated: true,
      pid: 4242,
    });
    expect(task.owner).toBe(laptop.identity.deviceId);
    expect(connection.tasks()).toEqual([task]);

    gpuPc.tasks.change("t1", {
      state: "running",
      incarnation: "77",
      devices: [
        {
          name: "/job:worker/replica:0/task:0/device:CPU:0",
          type: "CPU",
          memoryLimitBytes: 2 ** 28,
          description: "",
        },
      ],
      notice: { code: "FAILED_PRECONDITION", message: "No GPU is used.", reason: "No driver." },
    });
    await until("it runs", () => connection.tasks()[0]?.state === "running");
    const samples: [string, TaskSample][] = [];
    connection.onSamples((ofTasks) => samples.push(...ofTasks));
    let changes = 0;
    const stopCounting = connection.onChange(() => changes++);
    const load = { at: 2, cpuPercent: 6, memoryBytes: 200, gpuMemoryBytes: 7 };
    gpuPc.tasks.measure(new Map([["t1", load]]));
    await until("a sample", () => samples.length === 1);
    expect(samples).toEqual([["t1", load]]);
    expect(changes).toBe(0);
    stopCounting();
    expect(connection.tasks()[0]).toEqual(gpuPc.tasks.tasks()[0]);

    await connection.stop("t1");
    expect(connection.tasks()[0]?.state).toBe("stopped");
    const cluster = { worker: { 0: "127.0.0.1:2322" }, ps: { 0: "127.0.0.1:2301" } };
    await connection.startAgain("t1", { cluster });
    expect(gpuPc.tasks.asked.at(-1)).toEqual({ startAgain: "t1", fixed: { cluster } });
    expect(connection.tasks()[0]?.state).toBe("running");
    await connection.clearState("t1");
    expect(gpuPc.tasks.asked.at(-1)).toEqual({ clearState: "t1" });
    await connection.remove("t1");
    expect(connection.tasks()).toEqual([]);
    expect(gpuPc.tasks.tasks()).toEqual([]);
  });

  test("what keeps a task from being made is told in that machine's words", async () => {
    const connection = await connected("run");
    expect(await problemFrom(connection.start({ ...order, port: 2999 }))).toEqual({
      code: "FAILED_PRECONDITION",
      message: "Port 2999 is taken.",
      reason: "Another program listens on it.",
    });
    expect(await problemFrom(connection.stop("nobody"))).toMatchObject({ code: "NOT_FOUND" });
  });

  test("orders that cannot be meant are refused before anything is started", async () => {
    const connection = await connected("run");
    const wrong: Partial<TaskOrder>[] = [
      { taskId: "../t" },
      { job: "1worker" },
      { index: -1 },
      { port: 70_000 },
      { gpu: [-1] },
      { engine: "other" as "tensorflow" },
    ];
    for (const part of wrong) {
      const refused = await problemFrom(connection.start({ ...order, ...part }));
      expect(refused.code, JSON.stringify(part)).toBe("INVALID_ARGUMENT");
    }
    expect(gpuPc.tasks.asked).toEqual([]);
  });

  test("logs: what is kept, then new lines, also after the connection was lost", async () => {
    const connection = await connected("run");
    await connection.start(order);
    gpuPc.tasks.say("t1", "one", "two", "three");
    const lines = await connection.log("t1", 0);
    expect(lines.map(({ text }) => text)).toEqual(["two", "three"]);
    const heard: string[] = [];
    connection.onLog((taskId, added) => heard.push(...added.map(({ text }) => `${taskId} ${text}`)));
    gpuPc.tasks.say("t1", "four");
    await until("a new line", () => heard.length === 1);
    const { port } = gpuPc;
    await gpuPc.end();
    await until("gpu-pc is offline", () => connection.facts().presence === "offline");
    gpuPc.tasks.say("t1", "five");
    await gpuPc.listen(port);
    await until("the missed line", () => heard.length === 2);
    gpuPc.tasks.say("t1", "six", "seven");
    await until("new lines", () => heard.length === 4);
    expect(heard).toEqual(["t1 four", "t1 five", "t1 six", "t1 seven"]);
  });

  test("a log of many long lines comes whole", async () => {
    const connection = await connected("view");
    gpuPc.tasks.set({
      id: "t1",
      ...order,
      state: "running",
      devices: [],
      isolated: false,
      fixed: false,
    });
    gpuPc.tasks.say("t1", ...Array.from({ length: 2000 }, (_, i) => `${i} ${"x".repeat(4000)}`));
    const lines = await connection.log("t1", -1);
    expect(lines).toHaveLength(2000);
    expect(lines.at(-1)?.text.startsWith("1999 x")).toBe(true);
  });
});

describe("what else can be asked", () => {
  test("probes, tunnels, the firewall and the window", async () => {
    const connection = await connected("manage");
    const probe = { address: "10.0.0.1:2222", kind: "task", tries: 3 } as const;
    expect(await connection.probe({ ...probe, signal })).toEqual([
      { layer: "tcp", outcome: "ok", millis: 0.5, detail: "10.0.0.1:2222" },
    ]);
    expect(gpuPc.asked.at(-1)).toEqual(probe);
    const tunnels = {
      tunnels: [{ port: 2322, deviceId: laptop.identity.deviceId, agentAddresses: ["10.0.0.2:2220"] }],
      admissions: [{ deviceId: laptop.identity.deviceId, port: 2301 }],
    };
    expect(await connection.setTunnels(tunnels)).toEqual([2222]);
    expect(gpuPc.asked.at(-1)).toMatchObject({ owner: laptop.identity.deviceId, request: tunnels });
    expect(await connection.inspect({ ports: [2220] }, signal)).toMatchObject({ tool: "ufw", active: true });
    const change = {
      scope: { kind: "peer", address: "10.0.0.9" },
      ports: [2222],
      removeBlockRules: true,
    } as const;
    expect(await connection.plan(change, signal)).toMatchObject({ elevation: "pkexec" });
    expect(gpuPc.asked.at(-1)).toEqual(change);
    const applied: string[] = [];
    for await (const { state } of connection.apply(change, signal)) applied.push(state);
    for await (const { state } of connection.undo(change, signal)) applied.push(state);
    expect(applied).toEqual(["waiting", "applied", "waiting", "undone"]);
    expect(await connection.openWindow()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=the-token$/);
  });

  test("the speed of the link to a third machine", async () => {
    const connection = await connected("run");
    const pi = await TestAgent.start("pi");
    try {
      const refused = await problemFrom(
        connection.measureThroughput(pi.identity.deviceId, [pi.address], signal),
      );
      expect(refused.code).toBe("PERMISSION_DENIED");
      await pair(pi, gpuPc, "view");
      const speed = await connection.measureThroughput(pi.identity.deviceId, [], signal);
      expect(speed.bytes).toBeGreaterThan(1e6);
      expect(speed.megabytesPerSecond).toBeGreaterThan(0);
      expect(speed.roundTripMillis).toBeGreaterThan(0);
      expect(speed.seconds).toBeGreaterThan(0);
    } finally {
      await pi.dispose();
    }
  });
});
