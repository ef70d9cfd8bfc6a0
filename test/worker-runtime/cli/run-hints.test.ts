import { describe, expect, test } from "vitest";
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import { MetaGraphDef } from "../../../protos/generated/tensorflow/meta_graph.js";
import { RunnableGraph } from "../../../worker-runtime/cli/run-graph.js";
import { withHint } from "../../../worker-runtime/cli/run-hints.js";
import { readRunOptions } from "../../../worker-runtime/cli/run-options.js";
import {
  deadlineExceeded,
  failedPrecondition,
  invalidArgument,
} from "../../../worker-runtime/protocol/status.js";

const graph = GraphDef.fromPartial({
  node: [
    { name: "v", op: "VariableV2", device: "/job:worker/task:1" },
    { name: "train/init_1", op: "NoOp" },
  ],
});

function hinted(error: unknown, runnable = new RunnableGraph(graph), ...flags: string[]): string {
  const options = readRunOptions(["graph.pb", ...flags]);
  if (options === undefined) throw new Error("help was asked for");
  const given = withHint(error, options, runnable);
  return given instanceof Error ? given.message : "";
}

describe("what to do about", () => {
  const uninitialized = failedPrecondition("Attempting to use uninitialized value v");

  test("variables without values", () => {
    expect(hinted(uninitialized)).toContain("--init train/init_1");
    expect(hinted(uninitialized, new RunnableGraph(graph), "--init", "v")).toBe(uninitialized.message);
    const metaGraph = MetaGraphDef.fromPartial({ graphDef: graph });
    const saved = new RunnableGraph(graph, metaGraph, { folder: "model", metaGraph });
    expect(hinted(uninitialized, saved, "--no-restore")).toContain("omit --no-restore");
  });

  test("nodes pinned to a GPU that local tasks do not have", () => {
    const error = invalidArgument("Cannot assign a device for operation v");
    const onGpu = GraphDef.fromPartial({ node: [{ name: "v", op: "NoOp", device: "/job:worker/gpu:0" }] });
    expect(hinted(error, new RunnableGraph(onGpu))).toContain("--soft_placement");
    expect(hinted(error, new RunnableGraph(onGpu), "--target", "grpc://h:1")).toBe(error.message);
    expect(hinted(error)).toBe(error.message);
  });

  test("a task that never came", () => {
    const error = deadlineExceeded("The master at h:1 did not create the session within 60 s");
    expect(hinted(error, new RunnableGraph(graph), "--target", "grpc://h:1")).toContain(
      "all tasks of the cluster of grpc://h:1; the graph needs /job:worker/task:1",
    );
  });

  test("a master that the cluster file writes otherwise", () => {
    const error = invalidArgument("The ClusterSpec of the session has no task at 127.0.0.1:1");
    const flags = ["--cluster", "c.json", "--target", "grpc://127.0.0.1:1"];
    expect(hinted(error, new RunnableGraph(graph), ...flags)).toContain(
      "Set --target to the task's address as it stands in c.json",
    );
    expect(() => readRunOptions(["graph.pb", "--cluster", "c.json"])).toThrow("--cluster requires --target");
  });

  test("errors that say enough stay as they are", () => {
    const other = invalidArgument("2 nodes in a cycle");
    expect(withHint(other, readRunOptions(["g"]) ?? expect.fail(), new RunnableGraph(graph))).toBe(other);
  });
});
