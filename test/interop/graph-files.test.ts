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
from google.protobuf import text_format
from tensorflow.core.protobuf import meta_graph_pb2, saved_model_pb2
def as_text(path, message, text_path):
    message.ParseFromString(open(os.path.join(folder, path), "rb").read())
    with open(os.path.join(folder, text_path), "w", encoding="utf-8") as f:
        f.write(text_format.MessageToString(message))
as_text("graph.pb", v1.GraphDef(), "graph.pb.txt")
as_text("model.meta", meta_graph_pb2.MetaGraphDef(), "model.meta.txt")
as_text("saved/saved_model.pb", saved_model_pb2.SavedModel(), "saved/saved_model.pb.txt")
`;

describe.skipIf(peerMissing("tensorflow"))("files that Python wrote", () => {
  let folder = "";

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "tensordeck-files-"));
    execFileSync(tensorflowPython(), ["-c", PYTHON, folder], { stdio: "ignore" });
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const read = (name: string) => new Uint8Array(readFileSync(join(folder, name)));
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();

  test.each([
    ["graph.pb", "graph"],
    ["model.meta", "meta_graph"],
    ["saved/saved_model.pb", "saved_model"],
  ])("%s is opened with all that is in it, and saved so", (name, kind) => {
    const file = readGraphFile(read(name), name);
    expect([file.kind, file.format]).toEqual([kind, "binary"]);
    const { graphDef } = file.metaGraph;
    if (!graphDef) throw new Error("no graph");
    const registry = bundledOpRegistry().withFunctions(graphDef.library);
    expect(() => Graph.fromGraphDef(graphDef, { registry })).not.toThrow();
    const again = readGraphFile(writeGraphFile(file), name);
    expect(text(writeGraphFile({ ...again, format: "text" }))).toBe(text(read(`${name}.txt`)));
  });

  test.each([
    ["graph.pbtxt", "graph"],
    ["meta.pbtxt", "meta_graph"],
    ["saved/saved_model.pb.txt", "saved_model"],
  ])("%s is saved letter by letter as it was", (name, kind) => {
    const file = readGraphFile(read(name), name);
    expect([file.kind, file.format]).toEqual([kind, "text"]);
    expect(text(writeGraphFile(file))).toBe(text(read(name)));
  });

  test.each([
    ["model.index", "is the index of a checkpoint"],
    ["checkpoint", "list of a folder's checkpoints"],
    ["model.data-00000-of-00001", "is the data of a checkpoint"],
  ])("%s is no graph, and the error says what it is", (name, expected) => {
    expect(() => readGraphFile(read(name), name)).toThrow(expected);
  });
});
