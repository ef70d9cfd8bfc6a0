/** Models that are exported from trained graphs, loaded by stock TensorFlow. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { RunnableGraph } from "../../worker-runtime/cli/run-graph.js";
import { signatureNamed } from "../../worker-runtime/cli/run-signature.js";
import { Server } from "../../worker-runtime/engines/server.js";
import { HELD_OUT_PICTURES } from "../../worker-runtime/graph/digits/held-out-pictures.js";
import { digitOf, FULL, pixelsOf } from "../../worker-runtime/graph/digits/picture-lines.js";
import { modelParallelGraph } from "../../worker-runtime/graph/examples/training.js";
import { Graph } from "../../worker-runtime/graph/graph.js";
import type { ModelTensors } from "../../worker-runtime/graph/model-export/index.js";
import * as ops from "../../worker-runtime/graph/ops/index.js";
import { variablesOfGraph } from "../../worker-runtime/graph/training/trainable/index.js";
import { Tensor } from "../../worker-runtime/protocol/tensor.js";
import { restoreSavedModel } from "../../worker-runtime/session/saved-model/restore.js";
import { planRestore } from "../../worker-runtime/session/saved-model/restore-plan.js";
import { Session } from "../../worker-runtime/session/session.js";
import {
  checkpointValues,
  type ExportModelOptions,
  exportFrozenGraph,
  exportSavedModel,
  sessionValues,
} from "../../worker-runtime/training/export-model.js";
import { Saver } from "../../worker-runtime/training/saver.js";
import { peerMissing } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";

/** What TensorFlow computes with each exported model: by tf.saved_model.load, by the older loader, by import_graph_def. */
const LOAD = `
import json, sys
import numpy as np
import tensorflow as tf
v1 = tf.compat.v1
given = json.load(sys.stdin)
feeds = {name: np.array(value, dtype) for name, (dtype, value) in given["feeds"].items()}
results = {}
plain = lambda values: {name: np.asarray(value).tolist() for name, value in values.items()}
for path in given["saved"]:
    loaded = tf.saved_model.load(path)
    signature = loaded.signatures["serving_default"]
    results[path] = plain(signature(**{name: tf.constant(value) for name, value in feeds.items()}))
    results[path + " variables"] = sorted(v.name for v in loaded.variables)
    with tf.Graph().as_default(), v1.Session() as session:
        definition = v1.saved_model.loader.load(session, ["serve"], path).signature_def["serving_default"]
        fetched = session.run({k: i.name for k, i in definition.outputs.items()}, {definition.inputs[k].name: v for k, v in feeds.items()})
        results[path + " v1"] = plain(fetched)
for path in given["frozen"]:
    definition = v1.GraphDef.FromString(open(path, "rb").read())
    with tf.Graph().as_default(), v1.Session() as session:
        tensors = {**given["inputs"], **given["outputs"]}
        found = dict(zip(tensors, v1.import_graph_def(definition, return_elements=list(tensors.values()), name="")))
        results[path] = plain(session.run({k: found[k] for k in given["outputs"]}, {found[k]: v for k, v in feeds.items()}))
        results[path + " ops"] = sorted({node.op for node in definition.node if "Var" in node.op})
print("RESULT " + json.dumps(results))
`;

type Values = Readonly<Record<string, unknown>>;

function load(
  model: ModelTensors,
  feeds: Readonly<Record<string, readonly [dtype: string, value: unknown]>>,
  paths: { readonly saved: readonly string[]; readonly frozen: readonly string[] },
): Promise<Record<string, Values>> {
  return tensorflowResult(LOAD, { input: { ...model, ...paths, feeds } });
}

const PICTURES = HELD_OUT_PICTURES.slice(0, 100);
const PIXELS = PICTURES.map((line) => pixelsOf(line).map((value) => Math.fround(value / FULL)));

/** Engines add up in other orders. */
function expectClose(found: unknown, expected: unknown, what?: string): void {
  const [one, other] = [found, expected].map((value) => [value].flat(3).map(Number));
  expect(one?.length, what).toBe(other?.length);
  const most = Math.max(...(one ?? []).map((value, at) => Math.abs(value - (other?.[at] ?? Number.NaN))));
  expect(most, what).toBeLessThan(1e-4);
}

describe.skipIf(peerMissing("tensorflow"))("exported models", () => {
  let folder: string;
  let server: Server;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "tensordeck-models-"));
    server = await Server.createLocalServer({ engine: "portable" });
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const at = (name: string) => join(folder, name);

  test("a classifier of digits gives in stock Python what it gives in the session that trained it", async () => {
    const { graphDef = GraphDef.create() } = modelParallelGraph();
    const unpinned = { ...graphDef, node: graphDef.node.map((node) => ({ ...node, device: "" })) };
    const graph = Graph.fromGraphDef(unpinned);
    const session = new Session(server.target, { graph: unpinned });
    const model: ModelTensors = {
      inputs: { pixels: "held_out/brightness:0" },
      outputs: { scores: "evaluation/top/BiasAdd:0", digit: "evaluation/scores/ArgMax:0" },
    };
    try {
      await session.run([], { targets: ["init"] });
      for (let step = 0; step < 150; step++) await session.run([], { targets: ["train"] });
      const feeds = new Map([["held_out/brightness:0", Tensor.of(PIXELS, "float32")]]);
      const outputs = Object.values(model.outputs);
      const expected = (await session.run(outputs, { feeds })).values.map((one) => one?.toArray());
      const live: ExportModelOptions = { ...model, values: sessionValues(session, unpinned) };
      await exportSavedModel(graphDef, at("live"), live);
      await exportFrozenGraph(graphDef, at("live.pb"), live);
      const names = ["hidden/bias", "hidden/weights", "top/bias", "top/weights"];
      // Of the checkpoint, whatever the session holds later.
      const prefix = await new Saver(
        variablesOfGraph(graph).variables.filter(({ name }) => names.includes(name)),
      ).save(session, at("ckpt"));
      for (let step = 0; step < 20; step++) await session.run([], { targets: ["train"] });
      const saved: ExportModelOptions = { ...model, values: checkpointValues(prefix) };
      await exportSavedModel(graphDef, at("saved"), saved);
      await exportFrozenGraph(graphDef, at("saved.pb"), saved);
      const paths = { saved: [at("live"), at("saved")], frozen: [at("live.pb"), at("saved.pb")] };
      const found = await load(model, { pixels: ["float32", PIXELS] }, paths);
      for (const path of [...paths.saved, ...paths.saved.map((one) => `${one} v1`), ...paths.frozen]) {
        expect(found[path]?.digit, path).toEqual(expected[1]);
        expectClose(found[path]?.scores, expected[0], path);
      }
      for (const path of paths.saved)
        expect(found[`${path} variables`]).toEqual(names.map((name) => `${name}:0`));
      for (const path of paths.frozen) expect(found[`${path} ops`]).toEqual([]);
      // It has learnt: what is compared is no noise.
      const right = (expected[1] as number[]).filter(
        (digit, index) => digit === digitOf(PICTURES[index] ?? ""),
      );
      expect(right.length).toBeGreaterThan(85);
      // And it opens here again.
      const opened = await RunnableGraph.read(at("live"));
      const { metaGraph } = opened.savedModel ?? {};
      if (!metaGraph?.graphDef) throw new Error("It was not read as a SavedModel.");
      const again = new Session(server.target, { graph: metaGraph.graphDef });
      try {
        await restoreSavedModel(again, planRestore(metaGraph, "restore/"), { folder: at("live") });
        const { inputs, outputs } = signatureNamed(metaGraph, "serving_default");
        const { values } = await again.run([...outputs.values()], {
          feeds: new Map([[inputs.get("pixels") ?? "", Tensor.of(PIXELS, "float32")]]),
        });
        expectClose(values[[...outputs.keys()].indexOf("scores")]?.toArray(), expected[0]);
      } finally {
        await again.close();
      }
    } finally {
      await session.close();
    }
  });

  test("embeddings, loops, branches and variables of both kinds", async () => {
    const graph = new Graph();
    const ids = ops.placeholder(graph, "int32", [-1], { name: "ids" });
    const table = ops.variable(
      graph,
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
      { name: "table", kind: "resource" },
    );
    const scale = ops.variable(
      graph,
      [
        [2, 0],
        [0, 3],
      ],
      { name: "scale" },
    );
    const rows = graph.op("ResourceGather", [table.handle, ids], { dtype: "float32" }, "rows").output;
    const [, powers] = ops.whileLoop(
      graph,
      (count) => ops.less(count, 3),
      (count, value) => [ops.add(count, 1), ops.matMul(value ?? rows, scale.value)],
      [ops.constant(graph, 0, { dtype: "int32" }), rows],
    );
    if (!powers) throw new Error("The loop has two variables.");
    graph.op("VariableShape", [table.handle], { out_type: "int32" }, "size");
    const out = ops.identity(powers, { name: "out" });
    const init = ops.globalVariablesInitializer(graph, { name: "init" });
    const graphDef = graph.toGraphDef();
    const session = new Session(server.target, { graph: graphDef });
    const model: ModelTensors = { inputs: { ids: "ids:0" }, outputs: { out: out.name, size: "size:0" } };
    try {
      await session.run([], { targets: [init] });
      const options = { ...model, values: sessionValues(session, graphDef) };
      await exportSavedModel(graphDef, at("mixed"), options);
      await exportFrozenGraph(graphDef, at("mixed.pb"), options);
      const { values } = await session.run(Object.values(model.outputs), {
        feeds: new Map([["ids:0", Tensor.of([2, 0], "int32")]]),
      });
      const expected = { out: values[0]?.toArray(), size: values[1]?.toArray() };
      expect(expected).toEqual({
        out: [
          [40, 162],
          [8, 54],
        ],
        size: [3, 2],
      });
      const paths = { saved: [at("mixed")], frozen: [at("mixed.pb")] };
      const found = await load(model, { ids: ["int32", [2, 0]] }, paths);
      for (const path of [at("mixed"), `${at("mixed")} v1`, at("mixed.pb")])
        expect(found[path], path).toEqual(expected);
    } finally {
      await session.close();
    }
  });

  test("what is there is replaced only if asked, and never half", async () => {
    const graph = new Graph();
    const w = ops.variable(graph, [1, 2], { name: "w" });
    ops.identity(w.value, { name: "out" });
    const graphDef = graph.toGraphDef();
    const session = new Session(server.target, { graph: graphDef });
    const options = { inputs: {}, outputs: { out: "out:0" }, values: sessionValues(session, graphDef) };
    try {
      await session.run([], { targets: [w.initializer] });
      await exportSavedModel(graphDef, at("twice"), options);
      await expect(exportSavedModel(graphDef, at("twice"), options)).rejects.toThrow("already exists");
      await exportSavedModel(graphDef, at("twice"), { ...options, overwrite: true });
      const missing = { ...options, overwrite: true, values: checkpointValues(at("no-such-checkpoint")) };
      await expect(exportSavedModel(graphDef, at("twice"), missing)).rejects.toThrow("no-such-checkpoint");
      await expect(exportSavedModel(graphDef, folder, { ...options, overwrite: true })).rejects.toThrow(
        "Something else",
      );
      expect((await readdir(at("twice"))).sort()).toEqual(["saved_model.pb", "variables"]);
      expect((await readdir(folder)).filter((name) => name.includes("tempstate"))).toEqual([]);
    } finally {
      await session.close();
    }
  });
});
