import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { csvSumGraph } from "../../worker-runtime/graph/examples/csv-sum.js";
import { welcomeGraph } from "../../worker-runtime/graph/examples/first-graphs.js";
import { counterGraph } from "../../worker-runtime/graph/examples/variables.js";
import { Graph } from "../../worker-runtime/graph/graph.js";
import { type GraphFileFormat, writeGraphFile } from "../../worker-runtime/graph/graph-file.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";
import { peerMissing, tensorflowPython } from "../support/peers.js";

/** Imports each file and runs the listed steps in one session; answers with the fetched values. */
const PYTHON = `
import json, sys
import tensorflow.compat.v1 as tf
tf.disable_eager_execution()
out = {}
for name, case in json.load(open(sys.argv[1])).items():
    with tf.Graph().as_default():
        if case["file"].endswith(".pb"):
            graph_def = tf.GraphDef()
            graph_def.ParseFromString(open(case["file"], "rb").read())
            tf.import_graph_def(graph_def, name="")
        else:
            tf.train.import_meta_graph(case["file"], clear_devices=True)
        config = tf.ConfigProto(allow_soft_placement=True)
        with tf.Session(config=config) as session:
            values = []
            for step in case["steps"]:
                value = session.run(step["fetch"], step.get("feed", {}))
                values.append(value.tolist() if value is not None else None)
            out[name] = {"values": values, "variables": [v.name for v in tf.global_variables()],
                         "trainable": [v.name for v in tf.trainable_variables()]}
json.dump(out, sys.stdout)
`;

interface Step {
  readonly fetch: string;
  readonly feed?: Readonly<Record<string, unknown>>;
}

interface Result {
  readonly values: unknown[];
  readonly variables: string[];
  readonly trainable: string[];
}

/** i goes from 0 to 5, adding up what is outside of the loop: 5 rounds of 3. */
function loopGraph(): Graph {
  const graph = new Graph();
  const step = ops.constant(graph, 3, { name: "step" });
  const [, sum] = ops.whileLoop(
    graph,
    (i) => ops.less(i, 5),
    (i, total) => [ops.add(i, 1), ops.add(total, step)],
    [0, 0],
  );
  if (sum) ops.identity(sum, { name: "sum" });
  return graph;
}

function resourceGraph(): Graph {
  const graph = new Graph();
  const v = ops.variable(graph, [1, 2], { name: "v", kind: "resource", trainable: false });
  const added = ops.assignAdd(v, [10, 10]);
  ops.identity(added, { name: "added" });
  graph.withControlDependencies([ops.applyGradientDescent(v, 0.5, [2, 2])], () =>
    ops.identity(ops.readVariable(v), { name: "descended" }),
  );
  ops.globalVariablesInitializer(graph);
  return graph;
}

function queueGraph(): Graph {
  const graph = new Graph();
  const queue = ops.fifoQueue(graph, 10, ["float32"], { shapes: [[]] });
  ops.enqueueMany(queue, [[1, 2, 3]], { name: "put" });
  const [taken] = ops.dequeueMany(queue, 2);
  if (taken) ops.identity(taken, { name: "taken" });
  ops.queueSize(queue, { name: "left" });
  return graph;
}

describe.skipIf(peerMissing("tensorflow"))("graphs that Python imports and runs", () => {
  let folder = "";
  let results: Readonly<Record<string, Result>> = {};

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tensordeck-graphs-"));
    const cases: Record<string, { file: string; steps: readonly Step[] }> = {};
    const metaGraph = (
      name: string,
      message: ReturnType<typeof welcomeGraph>,
      format: GraphFileFormat,
      steps: readonly Step[],
    ) => {
      const file = join(folder, format === "text" ? `${name}.pbtxt` : `${name}.meta`);
      writeFileSync(file, writeGraphFile({ kind: "meta_graph", format, metaGraph: message }));
      cases[name] = { file, steps };
    };
    const graph = (name: string, built: Graph, steps: readonly Step[]) => {
      const file = join(folder, `${name}.pb`);
      writeFileSync(
        file,
        writeGraphFile({ kind: "graph", format: "binary", metaGraph: built.toMetaGraphDef() }),
      );
      cases[name] = { file, steps };
    };
    metaGraph("welcome", welcomeGraph(), "text", [{ fetch: "z:0" }]);
    metaGraph("welcome-binary", welcomeGraph(), "binary", [{ fetch: "z:0" }]);
    const column = (length: number) => ({ "input:0": new Array(length).fill(1) });
    metaGraph(
      "csv-sum",
      csvSumGraph(),
      "text",
      [1000, 7, 1, 0].map((n) => ({ fetch: "total:0", feed: column(n) })),
    );
    metaGraph("counter", counterGraph(), "text", [
      { fetch: "init" },
      { fetch: "count:0" },
      { fetch: "count:0" },
    ]);
    metaGraph("resource", resourceGraph().toMetaGraphDef(), "text", [
      { fetch: "init" },
      { fetch: "added:0" },
      { fetch: "descended:0" },
    ]);
    graph("loop", loopGraph(), [{ fetch: "sum:0" }]);
    graph("queue", queueGraph(), [{ fetch: "put" }, { fetch: "taken:0" }, { fetch: "left:0" }]);
    const list = join(folder, "cases.json");
    writeFileSync(list, JSON.stringify(cases));
    const options = {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"] as ("ignore" | "pipe")[],
    } as const;
    results = JSON.parse(execFileSync(tensorflowPython(), ["-c", PYTHON, list], options)) as typeof results;
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("the welcome graph gives 11", () => {
    expect(results.welcome?.values).toEqual([11]);
    expect(results["welcome-binary"]?.values).toEqual([11]);
  });

  test("the CSV example sums columns of any length", () => {
    expect(results["csv-sum"]?.values).toEqual([1000, 7, 1, 0]);
  });

  test("the counter counts, and Python knows its variable", () => {
    expect(results.counter?.values).toEqual([null, 1, 2]);
    expect(results.counter?.variables).toEqual(["counter:0"]);
    expect(results.counter?.trainable).toEqual(["counter:0"]);
  });

  test("resource variables", () => {
    expect(results.resource?.values).toEqual([null, [11, 12], [10, 11]]);
    expect(results.resource?.variables).toEqual(["v:0"]);
    expect(results.resource?.trainable).toEqual([]);
  });

  test("a loop that uses a tensor from outside", () => {
    expect(results.loop?.values).toEqual([15]);
  });

  test("a queue", () => {
    expect(results.queue?.values).toEqual([null, [1, 2], 1]);
  });
});
