import { describe, expect, it } from "vitest";
import type { Task, TaskState } from "../../../main/api/cluster.js";
import {
  missingCount,
  missingTasks,
  needsFixedCluster,
  pinCounts,
  placesOf,
  startLabel,
  whyNotStart,
} from "../../../renderer/actions/graph-tasks.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";

function task(name: string, state: TaskState = "running"): Task {
  return taskOf(name, { state });
}

const pinned = (...devices: string[]) => new Map(devices.map((device, index) => [`n${index}`, { device }]));

describe("pinCounts", () => {
  it("counts nodes by task, whatever else their device says", () => {
    const counts = pinCounts(
      pinned(
        "/job:worker/task:0",
        "/job:worker/replica:0/task:0/device:CPU:0",
        "/job:ps/task:1/cpu:0",
        "/device:GPU:0",
        "",
        "/job:worker",
      ),
    );
    expect([...counts]).toEqual([
      ["worker/0", 2],
      ["ps/1", 1],
    ]);
  });
});

describe("missingTasks", () => {
  it("names nothing when every task is up or on its way", () => {
    const missing = missingTasks(pinned("/job:worker/task:0", "/job:worker/task:1"), [
      task("worker/0"),
      task("worker/1", "starting"),
    ]);
    expect(missing.names).toEqual([]);
    expect(missingCount(missing)).toBe(0);
  });

  it("adds what is not there and starts what is stopped or has failed", () => {
    const missing = missingTasks(pinned("/job:worker/task:2", "/job:ps/task:0", "/job:worker/task:0"), [
      task("worker/0", "failed"),
      task("worker/1"),
    ]);
    expect(missing.names).toEqual(["ps/0", "worker/0", "worker/2"]);
    expect(missing.start.map(({ id }) => id)).toEqual(["worker/0"]);
    expect(missing.add).toEqual([
      { job: "ps", count: 1 },
      { job: "worker", count: 1 },
    ]);
    expect(startLabel(missing)).toBe("Start ps/0, worker/0 and worker/2");
  });

  it("fills the gaps before a named index, because a job gets its lowest free ones", () => {
    const missing = missingTasks(pinned("/job:worker/task:3"), [task("worker/1")]);
    expect(missing.add).toEqual([{ job: "worker", count: 3 }]);
    expect(startLabel(missing)).toBe("Start 3 workers");
  });

  it("starts here what was on a machine that does not answer, and counts it as there afterwards", () => {
    const graph = pinned("/job:worker/task:0", "/job:worker/task:1");
    const away = taskOf("worker/1", { id: "away", state: "unresponsive", unreachable: true });
    const missing = missingTasks(graph, [task("worker/0"), away]);
    expect(missing).toEqual({ names: ["worker/1"], start: [], instead: [away], add: [] });
    expect(missingCount(missing)).toBe(1);
    expect(startLabel(missing)).toBe("Start worker/1 here instead");
    expect(missingTasks(graph, [task("worker/0"), task("worker/1"), away]).names).toEqual([]);
  });

  it("says why a fixed cluster gets no task in place of one that does not answer", () => {
    const away = taskOf("worker/0", { state: "unresponsive", unreachable: true });
    const missing = missingTasks(pinned("/job:worker/task:0"), [away]);
    receiveCluster(clusterOf([machineOf("gpu-pc")]));
    expect(whyNotStart(missing)).toBeUndefined();
    receiveCluster(clusterOf([machineOf("gpu-pc")], { membership: "fixed" }));
    expect(whyNotStart(missing)).toContain("The machine of worker/0 does not answer");
  });

  it("wants one task for a graph without pins", () => {
    expect(missingTasks(pinned("", "/device:CPU:0"), []).add).toEqual([{ job: "worker", count: 1 }]);
    expect(missingTasks(pinned(""), [task("ps/0", "stopped")]).start.map(({ id }) => id)).toEqual(["ps/0"]);
    expect(missingTasks(pinned(""), [task("ps/0")]).names).toEqual([]);
  });

  it("speaks of workers only where all are", () => {
    expect(startLabel(missingTasks(pinned("/job:worker/task:0", "/job:worker/task:1"), []))).toBe(
      "Start 2 workers",
    );
    expect(startLabel(missingTasks(pinned("/job:ps/task:0", "/job:ps/task:1"), []))).toBe(
      "Start ps/0 and ps/1",
    );
    expect(startLabel(missingTasks(pinned("/job:ps/task:7"), []))).toBe("Start 8 tasks");
  });
});

describe("placesOf", () => {
  const machines = [machineOf("laptop", { tasks: [task("worker/0"), task("ps/0")] }), machineOf("pi")];
  const places = (add: { job: string; count: number }[], ids: string[]) =>
    placesOf({ add }, ids, machines).map((requests) => requests.map(({ machineId }) => machineId));

  it("spreads the tasks of each job over the machines, those that have fewer of the job first", () => {
    expect(places([{ job: "worker", count: 3 }], ["laptop", "pi"])).toEqual([["pi", "laptop", "pi"]]);
    expect(places([{ job: "chief", count: 2 }], ["laptop", "pi"])).toEqual([["laptop", "pi"]]);
    expect(places([{ job: "worker", count: 2 }], ["pi"])).toEqual([["pi", "pi"]]);
  });

  it("leaves the machine open, and adds all at once, unless machines were chosen", () => {
    expect(placesOf({ add: [{ job: "worker", count: 2 }] }, [], machines)).toEqual([
      [{ job: "worker", count: 2 }],
    ]);
  });
});

describe("collective operations on several tasks", () => {
  const nodes = (...tasks: number[]) =>
    new Map(
      tasks.map(
        (at) => [`sum_${at}`, { op: "CollectiveReduceV2", device: `/job:worker/task:${at}` }] as const,
      ),
    );
  const tasks = (engine: Task["engine"]) => [0, 1].map((at) => taskOf(`worker/${at}`, { engine }));

  it.each([
    ["TensorFlow's servers", tasks("tensorflow"), nodes(0, 1), true],
    ["tasks that are not there yet", [], nodes(0, 1), true],
    ["the portable engine", tasks("portable"), nodes(0, 1), false],
    ["one task", tasks("tensorflow"), nodes(1), false],
  ])("need a fixed cluster where they run on %s: %#", (_, members, graph, needs) => {
    const machine = machineOf("m", { tasks: members });
    receiveCluster(clusterOf([machine]));
    expect(needsFixedCluster(graph)).toBe(needs);
    receiveCluster(clusterOf([machine], { membership: "fixed" }));
    expect(needsFixedCluster(graph)).toBe(false);
  });
});
