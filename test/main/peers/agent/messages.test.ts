import { describe, expect, test } from "vitest";
import { ClockEstimate } from "../../../../main/peers/agent/clock-estimate.js";
import * as machines from "../../../../main/peers/agent/messages/machine.js";
import { problemFromMessage } from "../../../../main/peers/agent/messages/problem.js";
import {
  fixedClusterOf,
  lineFromMessage,
  orderFromMessage,
  orderToMessage,
  taskFromMessage,
  taskSampleFromMessage,
  taskSampleToMessage,
  taskToMessage,
} from "../../../../main/peers/agent/messages/tasks.js";
import { problemOfCall, statusOf } from "../../../../main/peers/agent/problem-status.js";
import { RemoteTasks } from "../../../../main/peers/agent/remote-tasks.js";
import { printableName } from "../../../../main/shared/printable.js";
import { problem } from "../../../../main/shared/problems.js";
import type { HostTask, TaskOrder } from "../../../../main/tasks/task-host.js";
import * as wire from "../../../../protos/generated/tensordeck/agent.js";
import { ServerDef } from "../../../../protos/generated/tensorflow/tensorflow_server.js";
import fc from "../../../support/seeded-check.js";

/** Over the wire and back. */
function sent<T>(
  type: { encode(message: T): { finish(): Uint8Array }; decode(bytes: Uint8Array): T },
  message: T,
): T {
  return type.decode(type.encode(message).finish());
}

const whole = fc.integer({ min: 0, max: 2 ** 48 });
/** Without -0, which the wire does not tell from 0. */
const percentage = fc.double({ noNaN: true }).filter((value) => !Object.is(value, -0));
const words = fc.string().map((text) => printableName(text));
const job = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,20}$/);
const gpu = fc.oneof(
  fc.constantFrom("auto" as const, "none" as const),
  fc.array(fc.integer({ min: 0, max: 63 }), { minLength: 1, maxLength: 16 }),
);

describe("what goes over the wire comes back as it was", () => {
  test("orders", () => {
    const order = fc.record<TaskOrder>({
      taskId: fc.stringMatching(/^[\w-]{1,64}$/),
      job,
      index: fc.integer({ min: 0, max: 9999 }),
      engine: fc.constantFrom("tensorflow", "portable"),
      gpu,
      port: fc.integer({ min: 0, max: 65_535 }),
      isolate: fc.boolean(),
      owner: fc.constant("me"),
    });
    fc.assert(
      fc.property(order, fc.boolean(), (given, isFixed) => {
        const cluster = { [given.job]: { [given.index]: "10.0.0.1:2222" }, other_: { 3: "[::1]:2222" } };
        const whole = isFixed ? { ...given, fixed: { cluster } } : given;
        const message = sent(wire.StartTaskRequest, orderToMessage(whole));
        expect(orderFromMessage(message, "me")).toEqual(whole);
      }),
    );
  });

  test("tasks", () => {
    const told = { code: "INTERNAL", message: "m", reason: "r", node: "n", task: "worker/0" };
    const task = fc.record<HostTask>(
      {
        id: fc.stringMatching(/^[\w-]{1,64}$/),
        job,
        index: fc.nat(9999),
        engine: fc.constantFrom("tensorflow", "portable"),
        gpu,
        port: fc.nat(65_535),
        state: fc.constantFrom("starting", "running", "unresponsive", "stopping", "stopped", "failed"),
        pid: fc.nat(),
        startedAt: whole,
        devices: fc.array(
          fc.record({
            name: words,
            type: words,
            memoryLimitBytes: whole,
            description: words,
          }),
        ),
        problem: fc.constant(told),
        notice: fc.constant(told),
        incarnation: words,
        isolated: fc.boolean(),
        fixed: fc.boolean(),
        owner: words,
      },
      {
        requiredKeys: [
          "id",
          "job",
          "index",
          "engine",
          "gpu",
          "port",
          "state",
          "devices",
          "isolated",
          "fixed",
          "owner",
        ],
      },
    );
    fc.assert(
      fc.property(task, (given) => {
        expect(taskFromMessage(sent(wire.Task, taskToMessage(given)))).toEqual(given);
      }),
    );
  });

  test("samples of a task", () => {
    const sample = fc.record(
      { at: whole, cpuPercent: percentage, memoryBytes: whole, gpuMemoryBytes: whole },
      { requiredKeys: ["at", "cpuPercent", "memoryBytes"] },
    );
    fc.assert(
      fc.property(sample, (given) => {
        const message = sent(wire.TaskMetrics, taskSampleToMessage("t1", given));
        expect(message.taskId).toBe("t1");
        expect(taskSampleFromMessage(message)).toEqual(given);
      }),
    );
  });

  test("samples of a machine", () => {
    const rate = fc.double({ min: 0, max: 1e12, noNaN: true });
    const metrics = fc.record({
      at: whole,
      cpuPercent: rate,
      memoryUsedBytes: whole,
      receivedBytesPerSecond: rate,
      sentBytesPerSecond: rate,
      gpus: fc.array(
        fc.record(
          {
            index: fc.nat(63),
            usedBytes: whole,
            busyPercent: percentage,
            processes: fc.array(
              fc.record(
                { pid: fc.nat(), name: words, memoryBytes: whole, taskId: fc.constant("t1") },
                { requiredKeys: ["pid", "name", "memoryBytes"] },
              ),
            ),
          },
          { requiredKeys: ["index", "processes"] },
        ),
      ),
    });
    fc.assert(
      fc.property(metrics, (given) => {
        const message = sent(wire.MachineMetrics, machines.machineSampleToMessage(given));
        expect(machines.machineSampleFromMessage(message)).toEqual(given);
      }),
    );
  });
});

test("what a newer version says is taken as far as it is known", () => {
  const task = taskFromMessage(
    wire.Task.fromPartial({ id: "t", job: "worker", state: "hibernating", engine: "quantum" }),
  );
  expect(task).toMatchObject({ state: "unresponsive", engine: "tensorflow", gpu: "auto" });
  const described = machines.machineFromMessage(
    wire.MachineDescription.fromPartial({
      role: "emperor",
      engines: [{ engine: "quantum" }, { engine: "portable" }],
    }),
  );
  expect(described.role).toBe("view");
  expect(described.description.engines.map(({ engine }) => engine)).toEqual(["portable"]);
});

/** Turns the reading direction, clears a terminal, ends a line. */
const HOSTILE = "\u202egpu\u001b[2J\n-pc\u0000";

test("what a hostile machine says of itself can be shown, kept and dialled", () => {
  const { description } = machines.machineFromMessage(
    wire.MachineDescription.fromPartial({
      name: HOSTILE + "x".repeat(1000),
      osName: HOSTILE,
      addresses: ["10.0.0.1", "$(reboot)", "0.0.0.0/0", "localhost", ...Array(100).fill("fd00::1")],
      agentPort: 70_000,
      gpus: Array.from({ length: 1000 }, () => ({ name: HOSTILE })),
    }),
  );
  expect(description.name).toMatch(/^gpu\[2J-pcx{50,}$/);
  expect(description.name.length).toBeLessThanOrEqual(100);
  expect(description.osName).toBe("gpu[2J-pc");
  expect(new Set(description.addresses)).toEqual(new Set(["10.0.0.1", "fd00::1"]));
  expect(description.addresses.length).toBeLessThanOrEqual(32);
  expect(description.agentPort).toBeUndefined();
  expect(description.gpus.length).toBeLessThanOrEqual(64);
  expect(description.gpus[0]?.name).toBe("gpu[2J-pc");
});

test("tasks that could be in no cluster are passed over, the others are listed, and not without end", () => {
  const tasks = new RemoteTasks();
  const task = (more: Parameters<typeof wire.Task.fromPartial>[0]) =>
    wire.Task.fromPartial({ id: "good", job: "worker", ...more });
  const bad = [{ job: "<b>" }, { index: -1 }, { id: "../etc" }, { job: "" }];
  const told = [...bad.map((more) => task({ id: "bad", ...more })), task({ port: 70_000 })];
  tasks.apply(wire.WatchEvent.fromPartial({ tasks: told }), true);
  expect(tasks.list()).toMatchObject([{ id: "good", port: 0 }]);
  const many = Array.from({ length: 5000 }, (_, index) => task({ id: `t${index}` }));
  tasks.apply(wire.WatchEvent.fromPartial({ tasks: many }), false);
  expect(tasks.list().length).toBe(512);
});

test("words of another machine's problems and logs keep their lines, and nothing that a terminal obeys", () => {
  const problem = problemFromMessage(
    wire.Problem.create({ code: "INTERNAL", message: HOSTILE, details: "one\n\ttwo\r\u2028three" }),
  );
  expect(problem).toEqual({ code: "INTERNAL", message: "gpu[2J\n-pc", details: "one\n\ttwothree" });
  const line = lineFromMessage({ sequence: 1n, at: 2n, level: "info", text: HOSTILE });
  expect(line.text).toBe("gpu[2J\n-pc");
});

test("clusters that cannot be one are refused", () => {
  const invalid = expect.objectContaining({ problem: expect.objectContaining({ code: "INVALID_ARGUMENT" }) });
  const of = (tasks: Map<number, string>, name = "worker") =>
    ServerDef.fromPartial({ cluster: { job: [{ name, tasks }] }, jobName: name });
  for (const def of [
    ServerDef.create(),
    of(new Map()),
    of(new Map([[0, "nowhere"]])),
    of(new Map([[0, "a:1"]]), "__proto__"),
    of(new Map(Array.from({ length: 600 }, (_, i) => [i, `h:${i + 1}`]))),
  ]) {
    expect(() => fixedClusterOf(def), JSON.stringify(def.jobName)).toThrow(invalid);
  }
  const message = orderToMessage({
    taskId: "t",
    job: "worker",
    index: 0,
    engine: "tensorflow",
    gpu: "auto",
    port: 0,
    isolate: false,
    owner: "",
    fixed: { cluster: { worker: { 0: "a:1", 1: "b:1" } } },
  });
  expect(() => orderFromMessage({ ...message, index: 1 }, "me")).toThrow(invalid);
});

describe("problems", () => {
  test("arrive in whole, cut where a trailer would be too long", () => {
    const { problem: given } = problem("FAILED_PRECONDITION", "Port 1 is taken.", {
      reason: "r",
      task: "worker/0",
    });
    const status = statusOf(
      problem("FAILED_PRECONDITION", "Port 1 is taken.", { reason: "r", task: "worker/0" }),
    );
    const error = Object.assign(new Error("x"), status);
    expect(problemOfCall(error, "pi", "StartTask").problem).toEqual(given);
    const long = statusOf(problem("INTERNAL", "m", { details: "x".repeat(100_000) }));
    const told = problemOfCall(Object.assign(new Error("x"), long), "pi", "StartTask").problem;
    expect(told.details?.length).toBeLessThan(2000);
  });

  test("what no machine said is told by what happened to the call", () => {
    const { metadata } = statusOf(problem("INTERNAL", "m"));
    metadata.set("tensordeck-problem-bin", Buffer.from([0xff]));
    const codes = {
      1: "CANCELLED",
      4: "DEADLINE_EXCEEDED",
      12: "UNIMPLEMENTED",
      13: "INTERNAL",
      14: "UNAVAILABLE",
    };
    for (const [code, name] of Object.entries(codes)) {
      const error = Object.assign(new Error("x"), { code: Number(code), details: "d", metadata });
      const { problem: told } = problemOfCall(error, "pi", "StartTask");
      expect(told).toMatchObject({ code: name, details: "StartTask: d" });
      expect(told.message).toContain("pi");
    }
  });
});

test("the clock of the quickest answer counts", () => {
  const clock = new ClockEstimate();
  expect([clock.offsetMillis, clock.roundTripMillis]).toEqual([undefined, undefined]);
  clock.add(1000, 10, 6005);
  // Delayed on its way back by 400 ms, so that half the round trip is wrong by 200.
  clock.add(2000, 410, 7005);
  clock.add(3000, 12, 8006);
  expect(clock.offsetMillis).toBe(5000);
  expect(clock.roundTripMillis).toBe(12);
});
