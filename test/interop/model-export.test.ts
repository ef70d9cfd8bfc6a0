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

/** TensorFlow's results with each exported model: by tf.saved_model.load, by the older loader, by import_graph_def. */
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
      // It has the values of the checkpoint, whatever the session holds later.
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

  test("lookup tables have the content that they have in the session, in a SavedModel", async () => {
    const graph = new Graph();
    const words = ops.placeholder(graph, "string", [-1], { name: "words" });
    const texts = (values: string[]) => ops.constant(graph, values, { dtype: "string" });
    const table = (type: string, valueType: "int64" | "float32") =>
      graph.op(
        type,
        [],
        { key_dtype: "string", value_dtype: valueType, use_node_name_sharing: true },
        `${valueType}_table`,
      ).output;
    const ids = table("HashTableV2", "int64");
    const weights = table("MutableHashTableV2", "float32");
    const numbers = ops.constant(graph, [1n, 0n], { dtype: "int64" });
    graph.op("InitializeTableV2", [ids, texts(["alpha", "beta"]), numbers], {}, "fill_ids");
    const given = ops.constant(graph, [0.5, 4], { dtype: "float32" });
    graph.op("LookupTableInsertV2", [weights, texts(["beta", "gamma"]), given], {}, "insert");
    const rows = ops.variable(
      graph,
      [
        [1.5, 2.5],
        [3.5, 4.5],
      ],
      { name: "rows", kind: "resource" },
    );
    const none = ops.constant(graph, 0n, { dtype: "int64" });
    const [found] = graph.op("LookupTableFindV2", [ids, words, none], {}, "find_ids").outputs;
    const zero = ops.constant(graph, 0, { dtype: "float32" });
    const [weight] = graph.op("LookupTableFindV2", [weights, words, zero], {}, "find_weights").outputs;
    if (!found || !weight) throw new Error("A lookup has an output.");
    graph.op("ResourceGather", [rows.handle, found], { dtype: "float32" }, "out");
    ops.identity(weight, { name: "weight" });
    const graphDef = graph.toGraphDef();
    const session = new Session(server.target, { graph: graphDef });
    const model: ModelTensors = {
      inputs: { words: "words:0" },
      outputs: { out: "out:0", weight: "weight:0" },
    };
    try {
      await session.run([], { targets: [rows.initializer, "fill_ids", "insert"] });
      const options = { ...model, values: sessionValues(session, graphDef) };
      await exportSavedModel(graphDef, at("tables"), options);
      await expect(exportFrozenGraph(graphDef, at("tables.pb"), options)).rejects.toThrow(
        "The outputs depend on the table int64_table, whose content a frozen graph cannot have.",
      );
      const prefix = await new Saver([rows]).save(session, at("tables-ckpt"));
      const saved = { ...model, values: checkpointValues(prefix) };
      await expect(exportSavedModel(graphDef, at("no-tables"), saved)).rejects.toThrow(
        "whose content is in no checkpoint",
      );
      const feeds = new Map([["words:0", Tensor.of(["alpha", "gamma", "beta"], "string")]]);
      const { values } = await session.run(Object.values(model.outputs), { feeds });
      const expected = { out: values[0]?.toArray(), weight: values[1]?.toArray() };
      expect(expected).toEqual({
        out: [
          [3.5, 4.5],
          [1.5, 2.5],
          [1.5, 2.5],
        ],
        weight: [0, 4, 0.5],
      });
      const python = await load(
        model,
        { words: ["object", ["alpha", "gamma", "beta"]] },
        { saved: [at("tables")], frozen: [] },
      );
      for (const path of [at("tables"), `${at("tables")} v1`]) expect(python[path], path).toEqual(expected);
      // And here again, by nodes of other names.
      const { metaGraph } = (await RunnableGraph.read(at("tables"))).savedModel ?? {};
      if (!metaGraph?.graphDef) throw new Error("It was not read as a SavedModel.");
      const other = await Server.createLocalServer({ engine: "portable" });
      const again = new Session(other.target, { graph: metaGraph.graphDef });
      try {
        await restoreSavedModel(again, planRestore(metaGraph, "restore/"), { folder: at("tables") });
        const { outputs } = signatureNamed(metaGraph, "serving_default");
        const results = await again.run([outputs.get("out") ?? "", outputs.get("weight") ?? ""], { feeds });
        expect(results.values.map((one) => one?.toArray())).toEqual(Object.values(expected));
      } finally {
        await again.close();
        await other.stop();
      }
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
