import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ClockEstimate } from "../../../main/agent/clock-estimate.js";
import * as machines from "../../../main/agent/messages/machine.js";
import {
  fixedPlaceOf,
  orderFromMessage,
  orderToMessage,
  taskFromMessage,
  taskToMessage,
} from "../../../main/agent/messages/tasks.js";
import { problemOfCall, statusOf } from "../../../main/agent/problem-status.js";
import { problem } from "../../../main/problems.js";
import type { HostTask, TaskOrder } from "../../../main/tasks/task-host.js";
import * as wire from "../../../protos/generated/tensordeck/agent.js";
import { ServerDef } from "../../../protos/generated/tensorflow/tensorflow_server.js";

/** Over the wire and back. */
function sent<T>(
  type: { encode(message: T): { finish(): Uint8Array }; decode(bytes: Uint8Array): T },
  message: T,
): T {
  return type.decode(type.encode(message).finish());
}

const whole = fc.integer({ min: 0, max: 2 ** 48 });
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
        id: fc.string(),
        job,
        index: fc.nat(),
        engine: fc.constantFrom("tensorflow", "portable"),
        gpu,
        port: fc.nat(65_535),
        state: fc.constantFrom("starting", "running", "unresponsive", "stopping", "stopped", "failed"),
        pid: fc.nat(),
        startedAt: whole,
        devices: fc.array(
          fc.record({
            name: fc.string(),
            type: fc.string(),
            memoryLimitBytes: whole,
            description: fc.string(),
          }),
        ),
        metrics: fc.array(
          fc.record({ at: whole, cpuPercent: fc.double({ noNaN: true }), memoryBytes: whole }),
          { maxLength: 1 },
        ),
        problem: fc.constant(told),
        notice: fc.constant(told),
        incarnation: fc.string(),
        isolated: fc.boolean(),
        owner: fc.string(),
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
          "metrics",
          "isolated",
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

  test("metrics of a machine", () => {
    const rate = fc.double({ min: 0, max: 1e12, noNaN: true });
    const metrics = fc.record({
      at: whole,
      cpuPercent: rate,
      memoryUsedBytes: whole,
      receivedBytesPerSecond: rate,
      sentBytesPerSecond: rate,
    });
    fc.assert(
      fc.property(metrics, (given) => {
        const message = sent(wire.MachineMetrics, machines.metricsToMessage(given));
        expect(machines.metricsFromMessage(message)).toEqual(given);
      }),
    );
  });
});

test("what a newer version says is taken as far as it is known", () => {
  const task = taskFromMessage(wire.Task.fromPartial({ id: "t", state: "hibernating", engine: "quantum" }));
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
    expect(() => fixedPlaceOf(def), JSON.stringify(def.jobName)).toThrow(invalid);
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
