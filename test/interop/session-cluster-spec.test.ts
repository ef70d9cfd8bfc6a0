import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ClusterDef } from "../../protos/generated/tensorflow/cluster.js";
import { ClusterSpec } from "../../worker-runtime/cluster/cluster-spec.js";
import { canonicalDeviceName, mergeDevice } from "../../worker-runtime/cluster/device-name.js";
import { replicaDeviceSetter } from "../../worker-runtime/cluster/replica-device-setter.js";
import { TensorFlowError } from "../../worker-runtime/protocol/status.js";
import { peerMissing, repositoryRoot, tensorflowPython } from "../support/peers.js";
import { environmentWithoutProxies } from "../support/processes.js";

const clusters: unknown[] = [
  {},
  { worker: ["a:1"] },
  { worker: ["a:1", "b:2"], ps: ["c:3"] },
  { z: ["a:1"], a: ["b:1"], m: ["c:1"] },
  { ps: ["host1:2222", "host2:2222"], worker: ["host3:2222", "host4"] },
  { worker: { 1: "b:2" } },
  { worker: { 0: "a:1", 1: "b:2" } },
  { worker: { 10: "k:1", 2: "c:1", 0: "a:1" }, ps: { 0: "p:1" } },
  { worker: { "3": "d:1" } },
  { worker: [] },
  { worker: {} },
  { worker: [""] },
  { "odd name": ["Grüße:1"] },
  { worker: "a:1" },
  { worker: 5 },
  { worker: [5] },
  { worker: [["a:1"]] },
  { worker: { x: "a:1" } },
  { worker: { "99999999999": "a:1" } },
  { worker: null },
  ["a:1"],
  "a:1",
  null,
];
const devices = [
  "",
  "/",
  "/job:worker",
  "/job:worker/task:1",
  "/task:1/job:worker",
  "/job:worker/replica:0/task:1/device:GPU:2",
  "/cpu:0",
  "/CPU:0",
  "/gpu",
  "/gpu:*",
  "gpu:1",
  "/device:CPU:*",
  "/device:weird:3",
  "/device:cpu:0",
  "/job:ps/cpu:0",
  "/device:GPU",
  "/cpu:0/gpu:0",
  "/cpu:x",
  "/task:x",
  "/nonsense",
  "/nonsense:1",
  "/job",
  "/job:a:b",
  "/device:GPU:0:1",
  "//job:a//",
];
const merges: [string, string][] = [
  ["", "/cpu:0"],
  ["/job:worker/cpu:0", "/gpu:1"],
  ["/job:worker/task:3", "/job:ps"],
  ["/device:GPU:0", "/job:ps/task:1"],
  ["/gpu:1", "/cpu:*"],
  ["/replica:1", "/task:2"],
];
const nodes = [
  ["VariableV2", ""],
  ["VarHandleOp", ""],
  ["MatMul", ""],
  ["Variable", "/job:worker"],
  ["VariableV2", "/job:ps/task:7"],
  ["VariableV2", "/gpu:0"],
  ["MutableHashTableV2", ""],
  ["Const", "/cpu:0"],
  ["VariableV2", ""],
] as const;
const setters = [
  { options: { cluster: { ps: ["a:1", "b:1"], worker: ["c:1"] } }, nodes },
  { options: { cluster: { ps: { 1: "b:1" }, worker: ["c:1"] } }, nodes },
  { options: { cluster: { worker: ["c:1"] } }, nodes },
  { options: { ps_tasks: 3, worker_device: "/job:worker/task:2/gpu:0" }, nodes },
  { options: { ps_tasks: 3, merge_devices: false }, nodes },
  { options: { ps_tasks: 2, ps_device: "/job:store/cpu:0", worker_device: "" }, nodes },
  { options: { ps_tasks: 2, ps_device: "/cpu:0" }, nodes },
  { options: { ps_tasks: 2, ps_ops: ["MatMul"] }, nodes },
  { options: {}, nodes },
];

interface Answers {
  readonly clusters: unknown[];
  readonly devices: unknown[];
  readonly merges: unknown[];
  readonly setters: unknown[];
}

let python: Answers;

beforeAll(() => {
  const script = join(repositoryRoot, "test", "interop", "peers", "cluster_spec.py");
  const output = execFileSync(tensorflowPython(), [script], {
    input: JSON.stringify({ clusters, devices, merges, setters }),
    encoding: "utf8",
    env: environmentWithoutProxies(),
    stdio: ["pipe", "pipe", "ignore"],
  });
  python = JSON.parse(output) as Answers;
});

/** As the script answers: {error: true} in place of an error. */
function orError<T>(answer: () => T): T | { error: true } {
  try {
    return answer();
  } catch (error) {
    expect(error).toBeInstanceOf(TensorFlowError);
    return { error: true };
  }
}

/** Both sides order the jobs; the order of a map's entries and the omission of zeros are the encoder's affair. */
function jobsOf(bytes: Uint8Array) {
  return ClusterDef.decode(bytes).job.map(({ name, tasks }) => [name, [...tasks].sort(([a], [b]) => a - b)]);
}

function answersFor(value: unknown) {
  const spec = ClusterSpec.from(value as Record<string, string[]>);
  return {
    jobs: spec.jobs,
    dict: spec.asDict(),
    repr: String(spec),
    proto: jobsOf(ClusterDef.encode(spec.asClusterDef()).finish()),
    tasks: Object.fromEntries(
      spec.jobs
        .filter((job) => spec.numTasks(job) > 0)
        .map((job) => [
          job,
          {
            num: spec.numTasks(job),
            indices: spec.taskIndices(job),
            list: spec.jobTasks(job).map((address) => address ?? null),
          },
        ]),
    ),
    missing_job: orError(() => spec.numTasks("no_such_job")),
    missing_task: spec.jobs.map((job) => orError(() => spec.taskAddress(job, 999))),
  };
}

function placed(options: (typeof setters)[number]["options"]) {
  const given = options as Record<string, unknown>;
  const setter = replicaDeviceSetter({
    cluster: given.cluster as Record<string, string[]> | undefined,
    psTasks: given.ps_tasks as number | undefined,
    psDevice: given.ps_device as string | undefined,
    workerDevice: given.worker_device as string | undefined,
    mergeDevices: given.merge_devices as boolean | undefined,
    psOps: given.ps_ops as string[] | undefined,
  });
  return setter === undefined ? null : nodes.map(([op, device]) => setter({ op, device }));
}

function decoded(answer: unknown): unknown {
  const { proto, ...others } = answer as { proto?: string };
  return proto === undefined ? answer : { ...others, proto: jobsOf(Buffer.from(proto, "hex")) };
}

describe.skipIf(peerMissing("tensorflow"))("the same answers as Python's", () => {
  test.each(clusters.map((value, i) => [JSON.stringify(value), value, i] as const))(
    "ClusterSpec(%s)",
    (_, value, i) => {
      expect(orError(() => answersFor(value))).toEqual(decoded(python.clusters[i]));
    },
  );

  test.each(devices.map((name, i) => [name, i] as const))("DeviceSpec('%s')", (name, i) => {
    expect(orError(() => canonicalDeviceName(name))).toEqual(python.devices[i]);
  });

  test.each(merges.map(([outer, inner], i) => [outer, inner, i] as const))(
    "'%s' around '%s'",
    (outer, inner, i) => {
      expect(orError(() => mergeDevice(outer, inner))).toEqual(python.merges[i]);
    },
  );

  test.each(setters.map(({ options }, i) => [JSON.stringify(options), options, i] as const))(
    "replica_device_setter(%s)",
    (_, options, i) => {
      expect(orError(() => placed(options))).toEqual(python.setters[i]);
    },
  );
});
