import { describe, expect, test } from "vitest";
import { ClusterDef } from "../../../protos/generated/tensorflow/cluster.js";
import { ClusterSpec } from "../../../worker-runtime/cluster/cluster-spec.js";
import fc from "../../support/seeded-check.js";

function invalid(message: RegExp) {
  return expect.objectContaining({ codeName: "INVALID_ARGUMENT", message: expect.stringMatching(message) });
}

describe("ClusterSpec", () => {
  const cluster = ClusterSpec.from({
    worker: ["w0:2222", "w1:2222", "w2:2222"],
    ps: { 1: "p1:2222", 3: "p3:2222" },
  });

  test("answers as tf.train.ClusterSpec does", () => {
    expect(cluster.jobs).toEqual(["worker", "ps"]);
    expect(cluster.numTasks("worker")).toBe(3);
    expect(cluster.taskIndices("ps")).toEqual([1, 3]);
    expect(cluster.jobTasks("ps")).toEqual([undefined, "p1:2222", undefined, "p3:2222"]);
    expect(cluster.taskAddress("worker", 2)).toBe("w2:2222");
    expect(cluster.asDict()).toEqual({
      worker: ["w0:2222", "w1:2222", "w2:2222"],
      ps: { 1: "p1:2222", 3: "p3:2222" },
    });
    expect(String(cluster)).toBe(
      "ClusterSpec({'ps': {1: 'p1:2222', 3: 'p3:2222'}, 'worker': ['w0:2222', 'w1:2222', 'w2:2222']})",
    );
  });

  test("refuses what the cluster does not have, and says what it has", () => {
    expect(() => cluster.numTasks("chief")).toThrow(
      invalid(/No such job in cluster: 'chief' \(it has worker, ps\)/),
    );
    expect(() => cluster.taskAddress("ps", 0)).toThrow(invalid(/No task with index 0 in job 'ps'/));
  });

  test("equality does not depend on order", () => {
    const same = ClusterSpec.from({
      ps: { 3: "p3:2222", 1: "p1:2222" },
      worker: { 0: "w0:2222", 1: "w1:2222", 2: "w2:2222" },
    });
    expect(cluster.equals(same)).toBe(true);
    expect(cluster.equals(ClusterSpec.from({ worker: ["w0:2222"] }))).toBe(false);
    expect(
      cluster.equals(ClusterSpec.from({ ...cluster.asDict(), worker: ["w0:2222", "w1:2222", "other:1"] })),
    ).toBe(false);
  });

  test("the wire form is sorted, so that equal clusters give equal bytes", () => {
    const bytes = (spec: ClusterSpec) => ClusterDef.encode(spec.asClusterDef()).finish();
    const turned = ClusterSpec.from({
      ps: { 3: "p3:2222", 1: "p1:2222" },
      worker: ["w0:2222", "w1:2222", "w2:2222"],
    });
    expect(bytes(turned)).toEqual(bytes(cluster));
    expect(ClusterSpec.from(ClusterDef.decode(bytes(cluster))).equals(cluster)).toBe(true);
  });

  test("any cluster survives asDict and asClusterDef", () => {
    const jobs = fc.dictionary(
      fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/),
      fc.oneof(
        fc.array(fc.webAuthority(), { minLength: 1, maxLength: 4 }),
        fc.dictionary(fc.nat({ max: 50 }).map(String), fc.webAuthority(), { minKeys: 1, maxKeys: 4 }),
      ),
      { maxKeys: 4 },
    );
    fc.assert(
      fc.property(jobs, (dict) => {
        const spec = ClusterSpec.from(dict);
        expect(ClusterSpec.from(spec.asDict()).equals(spec)).toBe(true);
        expect(ClusterSpec.from(spec.asClusterDef()).equals(spec)).toBe(true);
      }),
    );
  });

  test.each<[string, unknown, RegExp]>([
    ["a list", ["a:1"], /dictionary/],
    ["nothing", null, /dictionary/],
    ["a job that is a string", { worker: "a:1" }, /tasks for job 'worker' must be a list/],
    ["an address that is a number", { worker: [2222] }, /Task address 2222 \(task 0 of job 'worker'\)/],
    ["an index that is no number", { worker: { x: "a:1" } }, /Task index "x" of job 'worker'/],
    ["a negative index", { worker: { "-1": "a:1" } }, /Task index "-1"/],
    ["an index beyond int32", { worker: { "2147483648": "a:1" } }, /2147483647/],
  ])("refuses %s", (_, value, message) => {
    expect(() => ClusterSpec.from(value as never)).toThrow(invalid(message));
  });
});

describe("problems", () => {
  test("an entry without a port is accepted, and named by its job and task when it is to be used", () => {
    const spec = ClusterSpec.from({ ps: ["host1:2222"], worker: ["host2:2222", "host3"] });
    expect(spec.jobTasks("worker")).toEqual(["host2:2222", "host3"]);
    expect(spec.problems()).toEqual([
      "The address 'host3' of /job:worker/task:1 has no port; write for example host3:2222.",
    ]);
    expect(() => spec.validate()).toThrow(invalid(/worker\/task:1 has no port/));
  });

  test.each<[string, RegExp]>([
    ["", /is empty/],
    ["grpc://a:1", /has a scheme; write only host:port, such as a:1/],
    ["a/b:1", /slash/],
    ["a b:1", /space/],
    ["a:", /no port/],
    [":2222", /no host/],
    ["a:99999", /0 to 65535/],
    ["::1", /brackets/],
    ["x:y:1", /is not host:port/],
  ])("the address '%s'", (address, message) => {
    expect(ClusterSpec.from({ worker: [address] }).problems()).toEqual([expect.stringMatching(message)]);
  });

  test("addresses that can be used have none", () => {
    const worker = [
      "localhost:2222",
      "10.0.0.1:1",
      "[::1]:2222",
      "[fe80::1%eth0]:2222",
      "a-b.example.com:65535",
      "x:0",
      "y:0",
    ];
    expect(ClusterSpec.from({ worker }).problems()).toEqual([]);
  });

  test("two tasks with one address, a bad job name, nothing at all", () => {
    expect(ClusterSpec.from({ worker: ["a:1"], ps: ["a:1"] }).problems()).toEqual([
      "/job:worker/task:0 and /job:ps/task:0 have the same address 'a:1'; every task needs its own port.",
    ]);
    expect(ClusterSpec.from({ "my-job": ["a:1"] }).problems()).toEqual([
      expect.stringMatching(/'my-job' must be a letter/),
    ]);
    expect(ClusterSpec.from({}).problems()).toEqual(["The cluster has no tasks."]);
  });
});
