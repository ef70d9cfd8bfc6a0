/** Runs of a part of a graph, and runs that wait in the queue or are paused. */
import { beforeEach, expect, it } from "vitest";
import type { ApplicationClient } from "../../../main/api/contract.js";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { runAlone, runTo } from "../../../renderer/actions/partial-run.js";
import { enqueueRun, pauseOrResumeRun, startRun } from "../../../renderer/actions/run-actions.js";
import { useApp } from "../../../renderer/stores/app-store.js";
import { receiveCluster } from "../../../renderer/stores/cluster-store.js";
import { documentActions } from "../../../renderer/stores/document-store.js";
import { useDocumentRun, useRun } from "../../../renderer/stores/run-store.js";
import { setClient } from "../../../renderer/transport/client.js";
import { clusterOf, machineOf, taskOf } from "../support/cluster-states.js";
import { readOps, runOf } from "../support/documents.js";

const calls: { readonly method: string; readonly params: unknown }[] = [];
const methods = () => calls.map(({ method }) => method);

setClient({
  call: async (method: string, params: unknown) => {
    calls.push({ method, params });
    return method === "runs.start" ? { runId: "r1" } : [];
  },
  on: () => () => undefined,
  onConnection: () => () => undefined,
} as unknown as ApplicationClient);

/** Two nodes in turn behind a placeholder, and a task that runs them. */
beforeEach(() => {
  calls.length = 0;
  useApp.setState({ notices: [] });
  useRun.setState({ newest: undefined, ownRunId: undefined, stopRequested: undefined });
  useDocumentRun.setState({ latest: undefined, runRevision: undefined });
  receiveCluster(clusterOf([machineOf("m", { tasks: [taskOf("worker/0")] })]));
  const dtype = { value: { $case: "type" as const, value: 1 } };
  const graphDef = GraphDef.fromPartial({
    node: [
      { name: "a", op: "Placeholder", attr: new Map([["dtype", dtype]]) },
      { name: "b", op: "Neg", input: ["a"], attr: new Map([["T", dtype]]) },
      { name: "c", op: "Neg", input: ["b"], attr: new Map([["T", dtype]]) },
    ],
  });
  const metaGraph = MetaGraphDef.encode(MetaGraphDef.fromPartial({ graphDef })).finish();
  readOps();
  documentActions.load({ name: "chain", kind: "meta_graph", format: "text", metaGraph });
});

it("go to the chosen nodes, for which their placeholders need a value", async () => {
  await runTo(["b"]);
  expect(methods()).toEqual([]);
  expect(useApp.getState().notices[0]?.problem.message).toBe("The placeholder a has no value.");
  documentActions.setFeed("a:0", { kind: "literal", text: "1" });
  await runTo(["b"]);
  expect(calls).toMatchObject([
    { method: "runs.start", params: { fetches: ["b:0"], steps: 1, configuration: "to b" } },
  ]);
});

it("take values of the last run where a node is run alone", async () => {
  await expect(runAlone(["c"])).rejects.toThrow("b:0 has no value of an earlier run.");
  const fetched = {
    name: "b:0",
    dtype: "float32",
    shape: [],
    values: ["2"],
    elementCount: 1,
    byteLength: 4,
  };
  useDocumentRun.setState({ latest: runOf({ fetches: [fetched] }) });
  await runAlone(["c"]);
  expect(calls).toMatchObject([
    { method: "runs.start", params: { fetches: ["c:0"], reused: { runId: "r1", names: ["b:0"] } } },
  ]);
});

it("wait for the present run, with the steps of their configuration", async () => {
  useRun.setState({ newest: runOf({ state: "running" }) });
  documentActions.setFeed("a:0", { kind: "literal", text: "1" });
  documentActions.setSteps(50);
  await startRun(1);
  await enqueueRun();
  expect(calls).toMatchObject([
    { method: "runs.enqueue", params: { fetches: ["c:0"], steps: 50, configuration: "Main" } },
  ]);
});

it("are paused and go on", async () => {
  await pauseOrResumeRun(runOf({ state: "running" }));
  await pauseOrResumeRun(runOf({ state: "paused" }));
  expect(methods()).toEqual(["runs.pause", "runs.resume"]);
});
