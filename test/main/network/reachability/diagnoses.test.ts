/** Each diagnosis once where it is right and once where it would be wrong. */
import { describe, expect, test } from "vitest";
import type { Diagnosis } from "../../../../main/api/reachability.js";
import type { GpuLoad, MachineSample } from "../../../../main/api/samples.js";
import type { Situation } from "../../../../main/network/reachability/diagnoses/situation.js";
import { type DiagnosisId, diagnose, rules } from "../../../../main/network/reachability/diagnoses.js";
import { restartNotice } from "../../../../main/tasks/restart-notice.js";
import { logOf, machine, NOW, route, situation, task } from "./support/situations.js";

interface Case {
  /** What is wrong, and how it is told. */
  readonly wrong: Situation;
  readonly message: RegExp;
  readonly severity: Diagnosis["severity"];
  readonly machineId?: string;
  readonly taskId?: string;
  /** The same without the fault. */
  readonly right: Situation;
}

const gpuDevice = { name: "GPU:0", type: "GPU", memoryLimitBytes: 11e9, description: "" };
const gpu = { index: 0, name: "RTX 4070", memoryBytes: 12e9 };
/** What was measured of gpu-pc. */
const measured = (sample: Partial<MachineSample>): Pick<Situation, "samples"> => ({
  samples: { machines: new Map([["gpu-pc", sample]]), tasks: new Map() },
});
/** Who holds memory of its GPU. */
const held = (...processes: GpuLoad["processes"]) => measured({ gpus: [{ index: 0, processes }] });
const refused = {
  code: "UNAVAILABLE",
  message: "raspberrypi reaches gpu-pc, but nothing listens on port 2222.",
  remedy: "Start worker/0.",
};
const speed = { roundTripMillis: 1, bytes: 1e8, seconds: 1 };
const session = { state: "open", since: NOW - 5000, tasks: ["worker/0"] } as const;
const two = (first: string, second: string) =>
  situation([
    machine("gpu-pc", [task("worker/0", { address: first })]),
    machine("raspberrypi", [task("worker/1", { address: second })]),
  ]);
const one = (more: Parameters<typeof task>[1], further: Partial<Situation> = {}) =>
  situation([machine("gpu-pc", [task("worker/0", more)])], further);
const log = (line: string, ageMillis?: number, further: Partial<Situation> = {}) =>
  one({}, { logs: logOf("worker/0", [line], ageMillis), ...further });
const failedWith = (message: string, more: object = {}) =>
  one({ state: "failed", problem: { code: "UNKNOWN", message, ...more } });

const cases: { readonly [id in DiagnosisId]: Case } = {
  "localhost-with-several-machines": {
    wrong: two("localhost:2222", "raspberrypi:2222"),
    message: /^worker\/0 has the address localhost:2222, which every machine takes for its own\.$/,
    severity: "error",
    taskId: "worker/0",
    right: { ...two("127.0.0.1:2222", "127.0.0.1:2223"), access: "secure" },
  },
  "address-without-port": {
    wrong: one({ address: "gpu-pc" }),
    message: /^The address 'gpu-pc' of worker\/0 has no port; write for example gpu-pc:2222\.$/,
    severity: "error",
    taskId: "worker/0",
    right: one({ address: "" }),
  },
  "two-tasks-on-one-address": {
    wrong: two("gpu-pc:2222", "GPU-PC:2222"),
    message: /^worker\/0 and worker\/1 have the same address gpu-pc:2222\.$/,
    severity: "error",
    taskId: "worker/1",
    right: two("gpu-pc:2222", "gpu-pc:2223"),
  },
  "two-names-for-one-process": {
    wrong: {
      ...two("gpu-pc:2222", "192.168.1.20:2222"),
      incarnations: new Map([
        ["worker/0", "a1"],
        ["worker/1", "a1"],
      ]),
    },
    message:
      /^worker\/0 \(gpu-pc:2222\) and worker\/1 \(192\.168\.1\.20:2222\) are one and the same server\.$/,
    severity: "error",
    right: {
      ...two("gpu-pc:2222", "raspberrypi:2222"),
      incarnations: new Map([
        ["worker/0", "a1"],
        ["worker/1", "b2"],
      ]),
    },
  },
  "bad-job-name": {
    wrong: situation([machine("gpu-pc", [task("my-worker/0")])]),
    message: /^TensorFlow refuses the job name 'my-worker'\.$/,
    severity: "error",
    right: situation([machine("gpu-pc", [task("my_worker/0")])]),
  },
  "index-gap": {
    wrong: situation([machine("gpu-pc", [task("worker/0"), task("worker/2")])], { membership: "fixed" }),
    message: /^Job worker has no task 1\.$/,
    severity: "warning",
    right: situation([machine("gpu-pc", [task("worker/0"), task("worker/2")])]),
  },
  "name-resolves-differently": {
    wrong: situation([machine("gpu-pc"), machine("raspberrypi"), machine("macbook")], {
      routes: [
        route("raspberrypi", "gpu-pc", {
          layers: [{ layer: "name", outcome: "ok", detail: "192.168.1.20" }],
        }),
        route("macbook", "gpu-pc", {
          layers: [{ layer: "name", outcome: "ok", detail: "10.8.0.4, fd00::4" }],
        }),
      ],
    }),
    message: /^The name gpu-pc leads to different machines\.$/,
    severity: "warning",
    machineId: "gpu-pc",
    right: situation([machine("gpu-pc"), machine("raspberrypi"), machine("macbook")], {
      routes: [
        route("raspberrypi", "gpu-pc", {
          layers: [{ layer: "name", outcome: "ok", detail: "192.168.1.20" }],
        }),
        route("macbook", "gpu-pc", {
          layers: [{ layer: "name", outcome: "ok", detail: "fd00::4, 192.168.1.20" }],
        }),
      ],
    }),
  },
  "ipv6-only": {
    wrong: situation([machine("gpu-pc", [], { addresses: ["fd00::1"] })]),
    message: /^gpu-pc has IPv6 addresses only\.$/,
    severity: "info",
    machineId: "gpu-pc",
    right: situation([machine("gpu-pc", [], { addresses: ["192.168.1.20", "fd00::1"] })]),
  },
  "firewall-blocks": {
    wrong: situation([machine("gpu-pc"), machine("raspberrypi")], {
      routes: [
        route("raspberrypi", "gpu-pc", { outcome: "failed", firewallOf: "gpu-pc" }),
        route("raspberrypi", "gpu-pc", { outcome: "failed", firewallOf: "gpu-pc", address: "gpu-pc:2222" }),
      ],
    }),
    message: /^gpu-pc's firewall stands in the way of 2 routes, to gpu-pc:2220 and gpu-pc:2222\.$/,
    severity: "error",
    machineId: "gpu-pc",
    right: situation([machine("gpu-pc"), machine("raspberrypi")], {
      routes: [route("raspberrypi", "gpu-pc")],
    }),
  },
  "proxy-in-the-way": {
    wrong: situation([machine("gpu-pc"), machine("raspberrypi")], {
      routes: [
        route("raspberrypi", "gpu-pc", {
          outcome: "failed",
          layers: [{ layer: "http2", outcome: "failed", cause: "http1" }],
          problem: { code: "UNAVAILABLE", message: "A proxy or another program answers." },
        }),
      ],
    }),
    message: /^A proxy or another program answers\.$/,
    severity: "error",
    machineId: "raspberrypi",
    right: situation([machine("gpu-pc"), machine("raspberrypi")], {
      routes: [route("raspberrypi", "gpu-pc", { outcome: "failed", problem: refused })],
    }),
  },
  "route-broken": {
    wrong: situation([machine("gpu-pc"), machine("raspberrypi")], {
      routes: [route("raspberrypi", "gpu-pc", { outcome: "failed", taskId: "worker/0", problem: refused })],
    }),
    message: /^raspberrypi reaches gpu-pc, but nothing listens on port 2222\.$/,
    severity: "error",
    machineId: "gpu-pc",
    taskId: "worker/0",
    right: situation([machine("gpu-pc"), machine("raspberrypi")], {
      routes: [route("raspberrypi", "gpu-pc", { outcome: "failed", firewallOf: "gpu-pc" })],
    }),
  },
  "one-way": {
    wrong: situation([machine("gpu-pc"), machine("raspberrypi")], {
      routes: [
        route("gpu-pc", "raspberrypi"),
        route("raspberrypi", "gpu-pc", { outcome: "failed", firewallOf: "gpu-pc" }),
      ],
    }),
    message: /^gpu-pc reaches raspberrypi, but raspberrypi does not reach gpu-pc\.$/,
    severity: "warning",
    machineId: "gpu-pc",
    right: situation([machine("gpu-pc"), machine("raspberrypi")], {
      routes: [
        route("gpu-pc", "raspberrypi", { outcome: "failed" }),
        route("raspberrypi", "gpu-pc", { outcome: "failed" }),
      ],
    }),
  },
  "slow-link": {
    wrong: situation([machine("gpu-pc"), machine("raspberrypi")], {
      throughputs: [{ from: "raspberrypi", to: "gpu-pc", speed: { ...speed, megabytesPerSecond: 2.5 } }],
    }),
    message: /^raspberrypi sends to gpu-pc at 2\.5 MB\/s only\.$/,
    severity: "warning",
    machineId: "raspberrypi",
    right: situation([machine("gpu-pc"), machine("raspberrypi")], {
      throughputs: [{ from: "raspberrypi", to: "gpu-pc", speed: { ...speed, megabytesPerSecond: 110 } }],
    }),
  },
  "long-round-trip": {
    wrong: situation([machine("gpu-pc"), machine("raspberrypi")], {
      routes: [route("raspberrypi", "gpu-pc", { roundTripMillis: 48 })],
    }),
    message: /^gpu-pc is 48 ms away from raspberrypi\.$/,
    severity: "info",
    machineId: "gpu-pc",
    right: situation([machine("gpu-pc"), machine("raspberrypi")], {
      routes: [route("raspberrypi", "gpu-pc", { roundTripMillis: 0.6 })],
    }),
  },
  "discovery-unavailable": {
    wrong: situation([machine("gpu-pc")], {
      discovery: { state: "unavailable", problem: { code: "UNAVAILABLE", message: "No multicast here." } },
    }),
    message: /^No multicast here\.$/,
    severity: "warning",
    right: situation([machine("gpu-pc")], { discovery: { state: "off" } }),
  },
  "raw-port-open": {
    wrong: one({}, { exposures: [{ code: "OK", message: "The network reaches the raw port of worker/0." }] }),
    message: /^The network reaches the raw port of worker\/0\.$/,
    severity: "warning",
    right: one({}, { exposures: [] }),
  },
  "open-cluster": {
    wrong: one({}),
    message: /^The cluster is open: anyone who reaches its ports can run any graph\.$/,
    severity: "info",
    right: one({}, { access: "secure" }),
  },
  "proxy-variables": {
    wrong: one(
      {},
      {
        proxies: [
          { machineId: "gpu-pc", variables: { https_proxy: "http://proxy:3128" }, noProxy: ["10.0.0.0/8"] },
        ],
      },
    ),
    message: /^https_proxy is set on gpu-pc\.$/,
    severity: "warning",
    machineId: "gpu-pc",
    right: one({}, { proxies: [{ machineId: "gpu-pc", variables: {}, noProxy: ["10.0.0.0/8"] }] }),
  },
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
  "task-hangs": {
    wrong: one({ state: "unresponsive" }),
    message: /^worker\/0 lives, but does not answer\.$/,
    severity: "error",
    taskId: "worker/0",
    right: one({ state: "starting" }),
  },
  "task-restarted": {
    wrong: one({ notice: restartNotice("worker/0", new Date(NOW)) }),
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
    right: one({ notice: restartNotice("worker/0", new Date(NOW)) }),
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
  "gpu-memory-held": {
    wrong: situation(
      [machine("gpu-pc", [], { gpus: [gpu] })],
      held({ pid: 4711, name: "python3", memoryBytes: 11e9 }),
    ),
    message: /^python3 \(process 4711\) holds 11\.0 GB of GPU 0 \(RTX 4070\) on gpu-pc\.$/,
    severity: "warning",
    machineId: "gpu-pc",
    right: situation(
      [machine("gpu-pc", [task("worker/0")], { gpus: [gpu] })],
      held({ pid: 1, name: "node", memoryBytes: 11e9, taskId: "worker/0" }),
    ),
  },
  "ps-sees-gpu": {
    wrong: situation([machine("gpu-pc", [task("ps/0", { devices: [gpuDevice] })])]),
    message: /^ps\/0 sees a GPU\.$/,
    severity: "warning",
    taskId: "ps/0",
    right: situation([machine("gpu-pc", [task("ps/0"), task("worker/0", { devices: [gpuDevice] })])]),
  },
  "gpu-shared": {
    wrong: situation(
      [machine("gpu-pc", [task("worker/0"), task("worker/1")], { gpus: [gpu] })],
      held(
        ...["worker/0", "worker/1"].map((taskId, pid) => ({ pid, name: "node", memoryBytes: 4e9, taskId })),
      ),
    ),
    message: /^worker\/0 and worker\/1 share GPU 0 \(RTX 4070\) on gpu-pc\.$/,
    severity: "warning",
    machineId: "gpu-pc",
    right: situation(
      [machine("gpu-pc", [task("worker/0"), task("worker/1")], { gpus: [gpu] })],
      held({ pid: 1, name: "node", memoryBytes: 4e9, taskId: "worker/0" }),
    ),
  },
  "gpu-out-of-memory": {
    wrong: one(
      { devices: [gpuDevice] },
      { logs: logOf("worker/0", ["failed: CUDA_ERROR_OUT_OF_MEMORY: out of memory"]) },
    ),
    message: /^worker\/0 found no memory left on its GPU\.$/,
    severity: "error",
    taskId: "worker/0",
    right: log("failed: CUDA_ERROR_OUT_OF_MEMORY: out of memory"),
  },
  "session-still-waiting": {
    wrong: log(
      "I tensorflow/core/distributed_runtime/master.cc:267] CreateSession still waiting for response from worker: /job:ps/replica:0/task:0",
    ),
    message: /^A session of worker\/0 waits for ps\/0\.$/,
    severity: "error",
    taskId: "worker/0",
    right: log("CreateSession still waiting for response from worker: /job:ps/replica:0/task:0", 120_000),
  },
  "proxy-answers-task": {
    wrong: log("E0101 chttp2_transport.cc] Trying to connect an http1.x server"),
    message: /^worker\/0 talks to a proxy instead of its peers\.$/,
    severity: "error",
    taskId: "worker/0",
    right: log("Started server with target: grpc://localhost:2222"),
  },
  "started-before-peers": {
    wrong: log("tensorflow.python.framework.errors_impl.UnavailableError: Unavailable: OS Error"),
    message: /^worker\/0 found its peers not up yet\.$/,
    severity: "warning",
    taskId: "worker/0",
    right: log("Unavailable: OS Error", 3_600_000),
  },
  "handle-not-found": {
    wrong: log("Aborted: Graph handle is not found: 0000000000000001"),
    message: /^worker\/0 was asked for a session that it does not know\.$/,
    severity: "warning",
    taskId: "worker/0",
    right: log("Session created"),
  },
  "barrier-timed-out": {
    wrong: log("DEADLINE_EXCEEDED: Barrier timed out. Id: WaitForAllTasks. Number of tasks at barrier: 1/2"),
    message: /^worker\/0 waited for workers that did not register\.$/,
    severity: "error",
    taskId: "worker/0",
    right: log("/job:worker/replica:0/task:0 has connected to coordination service."),
  },
  "op-not-registered": {
    wrong: log("Not found: Op type not registered '_FusedMatMul' in binary running on gpu-pc."),
    message: /^worker\/0 does not know the op _FusedMatMul\.$/,
    severity: "error",
    taskId: "worker/0",
    right: log("Registering op MatMul"),
  },
  "message-too-large": {
    wrong: log("Received message larger than max (2147483648 vs. 2147483647)"),
    message: /^A message of worker\/0 is larger than gRPC or protobuf allow\.$/,
    severity: "error",
    taskId: "worker/0",
    right: log("Received message"),
  },
  "second-server-in-process": {
    wrong: log("Clean shutdown is not currently implemented"),
    message: /^The process of worker\/0 tried to stop its server, which TensorFlow cannot\.$/,
    severity: "info",
    taskId: "worker/0",
    right: log("shutdown"),
  },
  "localhost-in-log": {
    wrong: log("Started server with target: grpc://localhost:2222", 1000, { membership: "fixed" }),
    message: /^worker\/0 calls itself grpc:\/\/localhost:2222, and still listens on every address\.$/,
    severity: "info",
    taskId: "worker/0",
    right: log("Started server with target: grpc://localhost:2222"),
  },
  "unavailable-loop": {
    wrong: one({}, { logs: logOf("worker/0", Array(25).fill("UNAVAILABLE: Connection reset by peer")) }),
    message: /^worker\/0 keeps retrying: 25 failures in the last minute\.$/,
    severity: "warning",
    taskId: "worker/0",
    right: one({}, { logs: logOf("worker/0", Array(5).fill("UNAVAILABLE: Connection reset by peer")) }),
  },
  "session-waits-for-task": {
    wrong: one(
      { state: "stopped" },
      { session: { ...session, state: "opening", tasks: ["worker/0", "ps/0"] } },
    ),
    message: /^The session cannot open: worker\/0 is stopped and ps\/0 is not in the cluster\.$/,
    severity: "error",
    taskId: "worker/0",
    right: one({}, { session }),
  },
  "close-hangs": {
    wrong: one({}, { session: { ...session, state: "closing", since: NOW - 30_000 } }),
    message: /^The session has been closing for 30 s\.$/,
    severity: "warning",
    right: one({}, { session: { ...session, state: "closing" } }),
  },
  "graph-too-large": {
    wrong: one({}, { session: { ...session, graphBytes: 2.5e9 } }),
    message: /^The graph takes 2\.5 GB, but a message holds 2 GB at most\.$/,
    severity: "error",
    right: one({}, { session: { ...session, graphBytes: 5e6 } }),
  },
  "large-feeds": {
    wrong: one({}, { session: { ...session, feedBytes: 200e6 } }),
    message: /^Every step feeds 200 MB\.$/,
    severity: "warning",
    right: one({}, { session: { ...session, feedBytes: 1000 } }),
  },
  "gpu-options-in-session": {
    wrong: one({}, { session: { ...session, hasGpuOptions: true } }),
    message: /^The session's config has GPU options, which have no effect here\.$/,
    severity: "warning",
    right: one({}, { session }),
  },
  "state-left-behind": {
    wrong: one(
      { startedAt: NOW - 3_600_000 },
      {
        session: {
          ...session,
          problem: {
            code: "INVALID_ARGUMENT",
            message: "Assign requires shapes of both tensors to match. lhs shape= [10] rhs shape= [20]",
          },
        },
      },
    ),
    message: /^worker\/0 may still hold variables of an earlier run\.$/,
    severity: "warning",
    taskId: "worker/0",
    right: one(
      { startedAt: NOW - 10_000 },
      {
        session: {
          ...session,
          problem: { code: "INVALID_ARGUMENT", message: "Assign requires shapes of both tensors to match." },
        },
      },
    ),
  },
};

describe.each(Object.entries(cases))("%s", (id, { wrong, message, severity, machineId, taskId, right }) => {
  test("is recognised, and told with what to do", () => {
    const found = diagnose(wrong).filter((diagnosis) => diagnosis.id === id);
    expect(found.map(({ problem }) => problem.message)).toEqual([expect.stringMatching(message)]);
    expect(found[0]?.severity).toBe(severity);
    if (machineId !== undefined) expect(found[0]?.machineId).toBe(machineId);
    if (taskId !== undefined) expect(found[0]?.taskId).toBe(taskId);
    for (const text of [found[0]?.problem.reason, found[0]?.problem.remedy]) {
      if (text !== undefined) expect(text).toMatch(/[.!?…]$/);
    }
  });

  test("is not seen where it is not so", () => {
    expect(diagnose(right).map((diagnosis) => diagnosis.id)).not.toContain(id);
  });
});

test("every rule has a case, and nothing is made of an empty cluster", () => {
  expect(Object.keys(cases).sort()).toEqual(Object.keys(rules).sort());
  expect(diagnose(situation([]))).toEqual([]);
});

test("errors are told before warnings, and warnings before the rest", () => {
  const severities = diagnose({
    ...one({ address: "gpu-pc" }),
    exposures: [{ code: "OK", message: "Open." }],
  }).map(({ severity }) => severity);
  expect(severities).toEqual(["error", "warning", "info"]);
});

test("a session that waits names the layer that fails", () => {
  const [found] = diagnose(
    situation([machine("gpu-pc", [task("worker/0")]), machine("raspberrypi", [task("ps/0")])], {
      logs: logOf("worker/0", [
        "CreateSession still waiting for response from worker: /job:ps/replica:0/task:0",
      ]),
      routes: [route("gpu-pc", "raspberrypi", { taskId: "ps/0", outcome: "failed", problem: refused })],
    }),
  ).filter(({ id }) => id === "session-still-waiting");
  expect(found?.problem.reason).toBe(refused.message);
  expect(found?.problem.remedy).toBe(refused.remedy);
});
