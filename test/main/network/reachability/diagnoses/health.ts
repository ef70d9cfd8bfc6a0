/** Diagnoses of tasks and machines: each once where it is right and once where it would be wrong. */
import { restartNotice } from "../../../../../main/cluster/restart-notice.js";
import { type DiagnosisCase, failedWith, measured, one } from "../support/diagnosis-cases.js";
import { machine, NOW, route, situation, task } from "../support/situations.js";

export const healthCases = {
  "port-in-use": {
    wrong: failedWith("worker/0 could not start", {
      details:
        "Could not start gRPC server: port 2222 is in use by python3 (process 4711). End that program.",
    }),
    message: /^worker\/0 cannot listen on gpu-pc:2222: python3 \(process 4711\) has the port\.$/,
    severity: "error",
    taskId: "worker/0",
    right: failedWith("worker/0 ended unexpectedly (signal SIGKILL)."),
  },
  "task-failed": {
    wrong: failedWith("worker/0 ended unexpectedly (signal SIGKILL)."),
    message: /^worker\/0 ended unexpectedly \(signal SIGKILL\)\.$/,
    severity: "error",
    taskId: "worker/0",
    right: failedWith("No address added out of total 1 resolved"),
  },
  "machine-away": {
    wrong: situation([machine("gpu-pc", [], { presence: "offline" })]),
    message: /^gpu-pc does not answer\.$/,
    severity: "warning",
    right: situation([machine("gpu-pc", [], { presence: "offline" })], {
      routes: [route("laptop", "gpu-pc", { outcome: "failed" })],
    }),
  },
  "task-hangs": {
    wrong: one({ state: "unresponsive" }),
    message: /^worker\/0 is running, but does not answer\.$/,
    severity: "error",
    taskId: "worker/0",
    right: one({ state: "starting" }),
  },
  "task-restarted": {
    wrong: one({ notice: restartNotice("worker/0", new Date(NOW), true) }),
    message: /^worker\/0 was restarted at [\d:]+; its variables are gone\.$/,
    severity: "warning",
    taskId: "worker/0",
    right: one({ notice: { code: "FAILED_PRECONDITION", message: "The GPU of this machine is not used." } }),
  },
  "task-notice": {
    wrong: one({ notice: { code: "FAILED_PRECONDITION", message: "The GPU of this machine is not used." } }),
    message: /^The GPU of this machine is not used\.$/,
    severity: "warning",
    taskId: "worker/0",
    right: one({ notice: restartNotice("worker/0", new Date(NOW), true) }),
  },
  "ps-without-workers": {
    wrong: situation([machine("gpu-pc", [task("ps/0"), task("worker/0", { state: "stopped" })])]),
    message: /^ps\/0 still runs, but no worker does\.$/,
    severity: "warning",
    taskId: "ps/0",
    right: situation([machine("gpu-pc", [task("ps/0"), task("worker/0", { state: "starting" })])]),
  },
  "worker-finished": {
    wrong: situation(
      [
        machine("gpu-pc", [
          task("worker/0"),
          task("worker/1", {
            state: "failed",
            problem: { code: "UNAVAILABLE", message: "worker/1 ended unexpectedly (exit code 0)." },
          }),
        ]),
      ],
      { membership: "fixed" },
    ),
    message: /^worker\/1 has finished and exited, but worker\/0 may wait for it\.$/,
    severity: "warning",
    taskId: "worker/1",
    right: situation([machine("gpu-pc", [task("worker/0"), task("worker/1", { state: "stopped" })])], {
      membership: "fixed",
    }),
  },
  "waits-for-missing-tasks": {
    wrong: situation([machine("gpu-pc", [task("worker/0"), task("worker/1", { state: "stopped" })])], {
      membership: "fixed",
    }),
    message: /^worker\/1 is not up, so everything that uses the whole cluster waits\.$/,
    severity: "warning",
    taskId: "worker/1",
    right: situation([machine("gpu-pc", [task("worker/0"), task("worker/1", { state: "stopped" })])]),
  },
  "cloned-identity": {
    wrong: situation([machine("gpu-pc", [], { clones: ["10.0.0.5:2220", "10.0.0.6:2220"] })]),
    message: /identity.* 10\.0\.0\.5:2220 and at 10\.0\.0\.6:2220\.$/,
    severity: "error",
    right: situation([machine("gpu-pc")]),
  },
  "mixed-versions": {
    wrong: situation([
      machine("gpu-pc", [task("worker/0")], {
        engines: [{ engine: "tensorflow", version: "2.9.1", gpu: true }],
      }),
      machine("raspberrypi", [task("worker/1")]),
    ]),
    message:
      /^The tasks run different versions of TensorFlow: 2\.9\.1 on gpu-pc and 2\.21\.0 on raspberrypi\.$/,
    severity: "warning",
    right: situation([
      machine("gpu-pc", [], { engines: [{ engine: "tensorflow", version: "2.9.1", gpu: true }] }),
      machine("raspberrypi", [task("worker/1")]),
    ]),
  },
  "mixed-tensordeck-versions": {
    wrong: situation([machine("gpu-pc"), machine("raspberrypi", [], { version: "0.2.0" })]),
    message:
      /^The machines run different versions of Tensordeck: 0\.1\.0 on gpu-pc and 0\.2\.0 on raspberrypi\.$/,
    severity: "info",
    right: situation([machine("gpu-pc"), machine("raspberrypi", [], { version: "" })]),
  },
  "clock-offset": {
    wrong: situation([machine("gpu-pc")], measured({ clockOffsetMillis: -3600_000 })),
    message: /^The clock of gpu-pc is 3600\.0 s slow\.$/,
    severity: "warning",
    machineId: "gpu-pc",
    right: situation([machine("gpu-pc")], measured({ clockOffsetMillis: 120 })),
  },
  "memory-nearly-full": {
    wrong: situation([machine("gpu-pc", [task("worker/0")])], {
      samples: {
        machines: new Map([["gpu-pc", { memoryUsedBytes: 15.5e9 }]]),
        tasks: new Map([["worker/0", { at: NOW, cpuPercent: 1, memoryBytes: 9e9 }]]),
      },
    }),
    message: /^The memory of gpu-pc is nearly full: 15\.5 GB of 16\.0 GB\.$/,
    severity: "warning",
    machineId: "gpu-pc",
    right: one({}),
  },
} as const satisfies Readonly<Record<string, DiagnosisCase>>;
