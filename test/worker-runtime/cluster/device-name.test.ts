import { describe, expect, test } from "vitest";
import { ClusterSpec } from "../../../worker-runtime/cluster/cluster-spec.js";
import {
  makeClusterDeviceFilters,
  passesFilters,
  tasksPassing,
} from "../../../worker-runtime/cluster/device-filters.js";
import {
  canonicalDeviceName,
  deviceMatches,
  deviceOfTask,
  localDeviceText,
  mergeDevice,
  parseDeviceName,
  taskDeviceName,
  taskOfDevice,
  tasksInText,
  taskText,
} from "../../../worker-runtime/cluster/device-name.js";
import { replicaDeviceSetter } from "../../../worker-runtime/cluster/replica-device-setter.js";

function invalid(message: RegExp) {
  return expect.objectContaining({ codeName: "INVALID_ARGUMENT", message: expect.stringMatching(message) });
}

describe("device names", () => {
  test.each([
    ["/job:worker/replica:0/task:1/device:GPU:2", "/job:worker/replica:0/task:1/device:GPU:2"],
    ["/task:1/job:worker", "/job:worker/task:1"],
    ["/cpu:0", "/device:CPU:0"],
    ["/job:ps/gpu:*", "/job:ps/device:GPU:*"],
    ["/gpu", "/device:GPU:*"],
    ["GPU:1", "/device:GPU:1"],
    ["/device:XLA_GPU:*", "/device:XLA_GPU:*"],
    ["/job:*/task:*/device:CPU:*", "/device:CPU:*"],
    ["", ""],
    ["/", ""],
  ])("'%s' is '%s'", (name, canonical) => {
    expect(canonicalDeviceName(name)).toBe(canonical);
  });

  test.each<[string, RegExp]>([
    ["/device:GPU", /type and an index/],
    ["/job", /'job' is not known/],
    ["/tpus:1", /'tpus:1' is not known/],
    ["/task:one", /the task 'one' is not a number/],
    ["/device:GPU:x", /device index 'x'/],
    ["/cpu:0/gpu:0", /two device types/],
    ["/device:GPU:0:1", /too many colons/],
  ])("'%s' is refused", (name, message) => {
    expect(() => parseDeviceName(name)).toThrow(invalid(message));
  });

  test("scopes merge part by part, the inner one wins", () => {
    expect(mergeDevice("/job:worker/task:1/cpu:0", "/device:GPU:1")).toBe("/job:worker/task:1/device:GPU:1");
    expect(mergeDevice("/device:GPU:0", "/job:ps")).toBe("/job:ps/device:GPU:0");
    expect(mergeDevice("/job:ps/task:1", "/job:worker")).toBe("/job:worker/task:1");
    expect(mergeDevice("", "/cpu:0")).toBe("/device:CPU:0");
  });

  test("tasks", () => {
    expect(taskOfDevice("/job:worker/replica:0/task:1/device:CPU:0")).toEqual({ job: "worker", index: 1 });
    expect(taskOfDevice("/job:worker")).toBeUndefined();
    expect(taskOfDevice("nonsense")).toBeUndefined();
    expect(taskDeviceName({ job: "ps", index: 3 })).toBe("/job:ps/replica:0/task:3");
    expect(taskText({ job: "ps", index: 3 })).toBe("/job:ps/task:3");
  });

  test("a pattern matches what it does not contradict", () => {
    const device = parseDeviceName("/job:ps/replica:0/task:1/device:CPU:0");
    expect(deviceMatches(parseDeviceName("/job:ps"), device)).toBe(true);
    expect(deviceMatches(parseDeviceName("/cpu:*"), device)).toBe(true);
    expect(deviceMatches(parseDeviceName("/job:ps/task:0"), device)).toBe(false);
  });
});

describe("device filters", () => {
  const cluster = ClusterSpec.from({ ps: ["a:1", "a:2"], worker: ["b:1", "b:2"] });

  test("keep the tasks that they do not contradict", () => {
    const kept = (...filters: string[]) =>
      tasksPassing(cluster, filters).map(({ job, index }) => `${job}/${index}`);
    expect(kept()).toEqual(["ps/0", "ps/1", "worker/0", "worker/1"]);
    expect(kept("/job:ps", "/job:worker/task:1")).toEqual(["ps/0", "ps/1", "worker/1"]);
    expect(kept("/device:GPU:0")).toHaveLength(4);
  });

  test("apply to devices by every part", () => {
    expect(passesFilters(["/job:ps/gpu:0"], "/job:ps/task:0/device:CPU:0")).toBe(false);
    expect(passesFilters([], "/job:ps/task:0/device:CPU:0")).toBe(true);
  });

  test("go on the wire sorted, and bad ones are refused", () => {
    const wire = makeClusterDeviceFilters([
      { job: "worker", index: 1, filters: ["/job:ps"] },
      { job: "ps", index: 0, filters: ["/job:worker"] },
      { job: "worker", index: 0, filters: ["/job:ps"] },
    ]);
    expect(wire.jobs.map((job) => [job.name, [...job.tasks.keys()]])).toEqual([
      ["ps", [0]],
      ["worker", [0, 1]],
    ]);
    expect(() => makeClusterDeviceFilters([{ job: "ps", index: 0, filters: ["/what"] }])).toThrow(
      invalid(/what/),
    );
  });
});

describe("what a device is within its task", () => {
  test("is its type and index, where the name has both", () => {
    expect(localDeviceText("/job:worker/replica:0/task:0/device:GPU:1")).toBe("GPU:1");
    expect(localDeviceText("/job:worker/task:0/cpu:0")).toBe("CPU:0");
    expect(localDeviceText("/job:worker/task:0")).toBeUndefined();
    expect(localDeviceText("/job:worker/device:GPU:*")).toBeUndefined();
    expect(localDeviceText("/device:GPU:0/stream:all")).toBeUndefined();
  });

  test("stays the same when the task gets another name", () => {
    const to = { job: "ps", index: 3 };
    const name = "/job:worker/replica:0/task:0/device:GPU:1";
    expect(deviceOfTask(name, to)).toBe("/job:ps/replica:0/task:3/device:GPU:1");
    expect(deviceOfTask(name, to, { job: "worker", index: 0 })).toBe("/job:ps/replica:0/task:3/device:GPU:1");
    expect(deviceOfTask(name, to, { job: "worker", index: 1 })).toBe(name);
    expect(deviceOfTask("/device:CPU:0", to)).toBe("/device:CPU:0");
  });
});

describe("tasks in a text", () => {
  test("are found as errors of TensorFlow name them", () => {
    expect(tasksInText("Worker /job:worker/replica:0/task:1 was probably restarted.")).toEqual([
      { job: "worker", index: 1 },
    ]);
    expect(
      tasksInText(
        'sent from "/job:a/replica:0/task:0/device:CPU:0", to (/job:b/task:2); retry /job:b/task:2.',
      ),
    ).toEqual([
      { job: "a", index: 0 },
      { job: "b", index: 2 },
      { job: "b", index: 2 },
    ]);
    expect(tasksInText("all of /job:worker, and none of /job:")).toEqual([]);
  });
});

describe("replica device setter", () => {
  const cluster = { ps: ["a:1", "a:2"], worker: ["b:1"] };

  test("puts variables on the ps tasks in turn and the rest on the worker", () => {
    const setter = replicaDeviceSetter({ cluster, workerDevice: "/job:worker/task:7" });
    const place = (op: string, device = "") => setter?.({ op, device });
    expect(place("VariableV2")).toBe("/job:ps/task:0");
    expect(place("VarHandleOp")).toBe("/job:ps/task:1");
    expect(place("MatMul")).toBe("/job:worker/task:7");
    expect(place("VariableV2", "/device:GPU:0")).toBe("/job:ps/task:0/device:GPU:0");
    expect(place("VariableV2", "/job:worker")).toBe("/job:worker");
    expect(place("VariableV2")).toBe("/job:ps/task:1");
  });

  test("does nothing without ps tasks", () => {
    expect(replicaDeviceSetter({ cluster: { worker: ["b:1"] } })).toBeUndefined();
    expect(replicaDeviceSetter({})).toBeUndefined();
  });

  test("without merging, a node that has a device keeps it", () => {
    const setter = replicaDeviceSetter({ psTasks: 2, mergeDevices: false });
    expect(setter?.({ op: "VariableV2", device: "/cpu:0" })).toBe("/cpu:0");
    expect(setter?.({ op: "VariableV2", device: "" })).toBe("/job:ps/task:0");
  });

  test("takes a strategy and ops of one's own", () => {
    const setter = replicaDeviceSetter({
      psTasks: 9,
      psOps: ["Big"],
      psStrategy: () => 5,
      psDevice: "/job:store",
    });
    expect(setter?.({ op: "Big", device: "" })).toBe("/job:store/task:5");
    expect(setter?.({ op: "VariableV2", device: "" })).toBe("/job:worker");
  });
});
