import { describe, expect, it } from "vitest";
import { type Pod, taskOfPod } from "../../../main/kubernetes/pod-task.js";

function podWith(status: Pod["status"], more: Partial<Pod["metadata"]> = {}): Pod {
  return {
    metadata: {
      name: "lab-my-job-2",
      labels: { "app.kubernetes.io/instance": "lab", "app.kubernetes.io/component": "my-job" },
      ...more,
    },
    spec: {
      nodeName: "node-1",
      containers: [{ name: "tensorflow", ports: [{ name: "grpc-tf", containerPort: 2300 }] }],
    },
    status,
  };
}

const ready = [{ type: "Ready", status: "True" }];
const container = { restartCount: 1, state: undefined, lastState: undefined };

describe("a pod as a task", () => {
  it("has the job's own name, and the port of its container", () => {
    expect(taskOfPod(podWith({ phase: "Running", conditions: ready }), ["ps", "My_job"])).toEqual({
      ...{ pod: "lab-my-job-2", cluster: "lab", job: "My_job", index: 2 },
      ...{ container: "tensorflow", port: 2300, state: "running", node: "node-1", restarts: 0 },
    });
  });

  it.each([
    ["starting", { phase: "Pending" }],
    ["starting", { phase: "Running", containerStatuses: [{ ...container, started: false }] }],
    ["unresponsive", { phase: "Running", containerStatuses: [{ ...container, started: true }] }],
    ["failed", { phase: "Failed", message: "evicted" }],
    ["stopped", { phase: "Succeeded" }],
  ] as const)("is %s with %j", (state, status) => {
    expect(taskOfPod(podWith(status as unknown as Pod["status"]), [])?.state).toBe(state);
  });

  it("says why it does not run", () => {
    const crashing = podWith({
      phase: "Running",
      containerStatuses: [
        {
          restartCount: 4,
          state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 40s" } },
          lastState: { terminated: { exitCode: 137, reason: "OOMKilled" } },
        },
      ],
    });
    expect(taskOfPod(crashing, [])).toMatchObject({
      state: "failed",
      restarts: 4,
      problem: {
        message: expect.stringContaining("ends whenever it is started"),
        details: "OOMKilled (exit code 137)",
      },
    });
    const homeless = podWith({
      phase: "Pending",
      conditions: [
        { type: "PodScheduled", status: "False", message: "0/3 nodes: insufficient nvidia.com/gpu" },
      ],
    });
    expect(taskOfPod(homeless, [])).toMatchObject({
      state: "starting",
      problem: { reason: "0/3 nodes: insufficient nvidia.com/gpu" },
    });
  });

  it("is stopping while it is deleted, and no task without a number", () => {
    const status = { phase: "Running", conditions: ready };
    expect(taskOfPod(podWith(status, { deletionTimestamp: "2026-01-01T00:00:00Z" }), [])?.state).toBe(
      "stopping",
    );
    expect(taskOfPod(podWith(status, { name: "lab-tool" }), [])).toBeUndefined();
  });
});
