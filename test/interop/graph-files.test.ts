import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Graph } from "../../worker-runtime/graph/graph.js";
import { readGraphFile, writeGraphFile } from "../../worker-runtime/graph/graph-file.js";
import { bundledOpRegistry } from "../../worker-runtime/graph/op-registry.js";
import { peerMissing, tensorflowPython } from "../support/peers.js";

/** Writes a graph with variables in every way that Python has, and a SavedModel of Keras-like functions. */
const PYTHON = `
import os, sys
import tensorflow as tf
folder = sys.argv[1]
v1 = tf.compat.v1
with tf.Graph().as_default() as graph:
    x = v1.placeholder(tf.float32, [None, 2], name="x")
    w = v1.get_variable("w", [2, 2], use_resource=False)
    y = tf.matmul(x, w, name="y")
    saver = v1.train.Saver()
    v1.add_to_collection("notes", "a text")
    v1.add_to_collection("steps", 3)
    tf.io.write_graph(graph.as_graph_def(), folder, "graph.pb", as_text=False)
    tf.io.write_graph(graph.as_graph_def(), folder, "graph.pbtxt", as_text=True)
    v1.train.export_meta_graph(os.path.join(folder, "meta.pbtxt"), as_text=True, saver_def=saver.as_saver_def())
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        saver.save(session, os.path.join(folder, "model"))
class Module(tf.Module):
    def __init__(self):
        self.w = tf.Variable([[1.0], [2.0]])
    @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
    def __call__(self, x):
        return {"y": tf.nn.relu(x @ self.w)}
module = Module()
tf.saved_model.save(module, os.path.join(folder, "saved"), signatures=module.__call__)
with open(os.path.join(folder, "saved.pbtxt"), "w") as f:
    from tensorflow.core.protobuf import saved_model_pb2
    from google.protobuf import text_format
    saved = saved_model_pb2.SavedModel.FromString(open(os.path.join(folder, "saved", "saved_model.pb"), "rb").read())
    f.write(text_format.MessageToString(saved))
`;

describe.skipIf(peerMissing("tensorflow"))("files that Python wrote", () => {
  let folder = "";

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tensordeck-files-"));
    execFileSync(tensorflowPython(), ["-c", PYTHON, folder], { stdio: "ignore" });
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    ["graph.pb", "graph", "binary"],
    ["graph.pbtxt", "graph", "text"],
    ["model.meta", "meta_graph", "binary"],
    ["meta.pbtxt", "meta_graph", "text"],
    ["saved/saved_model.pb", "saved_model", "binary"],
    ["saved.pbtxt", "saved_model", "text"],
  ])("%s is opened and saved without a change", (name, kind, format) => {
    const bytes = new Uint8Array(readFileSync(join(folder, name)));
    const file = readGraphFile(bytes, name);
    expect([file.kind, file.format]).toEqual([kind, format]);
    const { graphDef } = file.metaGraph;
    if (!graphDef) throw new Error("no graph");
    const registry = bundledOpRegistry().withFunctions(graphDef.library);
    expect(() => Graph.fromGraphDef(graphDef, { registry })).not.toThrow();
    const written = writeGraphFile(file);
    if (format === "text") expect(Buffer.from(written).toString()).toBe(Buffer.from(bytes).toString());
    else expect(Buffer.compare(written, bytes)).toBe(0);
  });

  test.each([
    ["model.index", "is the index of a checkpoint"],
    ["checkpoint", "list of a folder's checkpoints"],
    ["model.data-00000-of-00001", "not a graph"],
  ])("%s is no graph, and the error says what it is", (name, expected) => {
    expect(() => readGraphFile(new Uint8Array(readFileSync(join(folder, name))), name)).toThrow(expected);
  });
});
