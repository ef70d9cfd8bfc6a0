import { describe, expect, test } from "vitest";
import { ServerDef } from "../../../protos/generated/tensorflow/tensorflow_server.js";
import { clusterFromFlags, parseClusterJson } from "../../../worker-runtime/cluster/classic.js";
import { makeServerDef } from "../../../worker-runtime/cluster/server-def.js";
import { isChief, isEvaluator, parseTfConfig } from "../../../worker-runtime/cluster/tf-config.js";

function invalid(message: RegExp) {
  return expect.objectContaining({ codeName: "INVALID_ARGUMENT", message: expect.stringMatching(message) });
}

describe("TF_CONFIG", () => {
  const json = (cluster: unknown, task?: unknown) => JSON.stringify({ cluster, task });

  test("gives the cluster and the task", () => {
    const config = parseTfConfig(
      json({ chief: ["c:1"], worker: ["a:1", "b:1"], ps: ["p:1"] }, { type: "worker", index: 1 }),
    );
    expect(config.cluster.jobs).toEqual(["chief", "worker", "ps"]);
    expect(config.task).toEqual({ job: "worker", index: 1 });
    expect(isChief(config)).toBe(false);
  });

  test("the chief is the chief, the master, or else the first worker", () => {
    const chief = (cluster: object, type: string, index = 0) =>
      isChief(parseTfConfig(json(cluster, { type, index })));
    expect(chief({ chief: ["c:1"], worker: ["a:1"] }, "chief")).toBe(true);
    expect(chief({ master: ["c:1"], worker: ["a:1"] }, "master")).toBe(true);
    expect(chief({ master: ["c:1"], worker: ["a:1"] }, "worker")).toBe(false);
    expect(chief({ worker: ["a:1", "b:1"] }, "worker", 0)).toBe(true);
    expect(chief({ worker: ["a:1", "b:1"] }, "worker", 1)).toBe(false);
    expect(isChief(parseTfConfig("{}"))).toBe(true);
  });

  test("the evaluator is no member of the cluster", () => {
    const config = parseTfConfig(json({ chief: ["c:1"] }, { type: "evaluator", index: 0 }));
    expect(isEvaluator(config)).toBe(true);
    expect(isChief(config)).toBe(false);
  });

  test("an index may be a string, as shell scripts write it; extras are kept", () => {
    const text = JSON.stringify({
      cluster: { worker: ["a:1", "b:1"] },
      task: { type: "worker", index: "1" },
      rpc_layer: "grpc",
      session_master: "grpc://a:1",
    });
    expect(parseTfConfig(text)).toMatchObject({
      task: { job: "worker", index: 1 },
      rpcLayer: "grpc",
      sessionMaster: "grpc://a:1",
    });
    expect(parseTfConfig("").cluster.isEmpty).toBe(true);
  });

  test.each<[string, string, RegExp]>([
    ["no JSON", "{cluster: 1}", /not valid JSON.*looks like/],
    ["a list", "[]", /must be a JSON object/],
    ["a cluster that is a list", '{"cluster": ["a:1"]}', /"cluster" of TF_CONFIG/],
    ["a job that is a string", '{"cluster": {"worker": "a:1"}}', /job 'worker'/],
    ["a task that is a string", '{"task": "worker"}', /"task" of TF_CONFIG/],
    ["an index without a type", '{"task": {"index": 1}}', /no "type"/],
    ["an index that is no number", '{"task": {"type": "worker", "index": "x"}}', /"index".*"x"/],
    [
      "a task outside the cluster",
      json({ worker: ["a:1"] }, { type: "worker", index: 3 }),
      /task 3 of job 'worker'.*worker\/0/,
    ],
  ])("refuses %s", (_, text, message) => {
    expect(() => parseTfConfig(text)).toThrow(invalid(message));
  });
});

describe("classic forms", () => {
  test("clusterspec.json", () => {
    expect(parseClusterJson('{"worker":["10.0.0.1:2222","10.0.0.2:2223"]}').asDict()).toEqual({
      worker: ["10.0.0.1:2222", "10.0.0.2:2223"],
    });
    expect(() => parseClusterJson("worker: a:1", "clusterspec.json")).toThrow(
      invalid(/^clusterspec.json is not valid JSON/),
    );
    expect(() => parseClusterJson("[]")).toThrow(invalid(/object from job names/));
  });

  test("flags", () => {
    expect(clusterFromFlags({ psHosts: "a:1", workerHosts: " b:1, c:1," }).asDict()).toEqual({
      ps: ["a:1"],
      worker: ["b:1", "c:1"],
    });
    expect(clusterFromFlags({ workerHosts: "b:1", psHosts: "" }).jobs).toEqual(["worker"]);
  });
});

describe("ServerDef", () => {
  test("takes the only job and the only task where they are not given", () => {
    const def = makeServerDef({ cluster: { worker: { 4: "a:1" } } });
    expect(def).toMatchObject({ jobName: "worker", taskIndex: 4, protocol: "grpc" });
    expect(ServerDef.decode(ServerDef.encode(def).finish())).toMatchObject({
      jobName: "worker",
      taskIndex: 4,
    });
  });

  test.each<[string, Parameters<typeof makeServerDef>[0], RegExp]>([
    ["two jobs and none named", { cluster: { a: ["a:1"], b: ["b:1"] } }, /explicit job name/],
    [
      "two tasks and none named",
      { cluster: { a: ["a:1", "b:1"] } },
      /explicit task index: job 'a' has the tasks 0, 1/,
    ],
    ["an unknown job", { cluster: { a: ["a:1"] }, jobName: "b" }, /No such job/],
    [
      "an index outside",
      { cluster: { a: ["a:1"] }, taskIndex: 1 },
      /Task 1 is not in the cluster: job 'a' has only task 0/,
    ],
    ["an address without a port", { cluster: { a: ["host"] } }, /\/job:a\/task:0 has no port/],
  ])("refuses %s", (_, options, message) => {
    expect(() => makeServerDef(options)).toThrow(invalid(message));
  });
});
