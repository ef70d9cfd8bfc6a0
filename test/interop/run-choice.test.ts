import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readGraphFile } from "../../worker-runtime/graph/graph-file.js";
import { bundledOpRegistry } from "../../worker-runtime/graph/op-registry.js";
import { type RunChoice, suggestRun } from "../../worker-runtime/graph/run-choice.js";
import { peerMissing } from "../support/peers.js";
import { tensorflowResult } from "../support/tensorflow-script.js";

/** Programs as people write them with TensorFlow 1; each exports its graph when it is whole. */
const PROGRAMS = `
import json, os, sys
import numpy as np
import tensorflow as tf
v1 = tf.compat.v1
folder = sys.argv[1]

def dense(x, units, name):
    with v1.variable_scope(name):
        w = v1.get_variable("w", [int(x.shape[1]), units])
        b = v1.get_variable("b", [units], initializer=v1.zeros_initializer())
        return tf.matmul(x, w) + b

def classifier(optimizer, resource):
    v1.get_variable_scope().set_use_resource(resource)
    x = v1.placeholder(tf.float32, [None, 4], name="x")
    labels = v1.placeholder(tf.int32, [None], name="labels")
    logits = dense(tf.nn.relu(dense(x, 8, "hidden")), 3, "logits")
    loss = v1.losses.sparse_softmax_cross_entropy(labels, logits)
    step = v1.train.get_or_create_global_step()
    train = optimizer().minimize(loss, global_step=step, name="train")
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1, output_type=tf.int32), labels), tf.float32), name="accuracy")
    v1.summary.scalar("loss", loss); v1.summary.histogram("logits", logits); v1.summary.merge_all()
    v1.global_variables_initializer(); v1.train.Saver()
    return v1.train.Saver(name="second")

def adam(): return classifier(lambda: v1.train.AdamOptimizer(0.1), False)
def momentum_resource(): return classifier(lambda: v1.train.MomentumOptimizer(0.1, 0.9), True)

def plain_loss():
    x = v1.placeholder(tf.float32, [None, 4], name="x")
    y = v1.placeholder(tf.float32, [None, 1], name="y")
    loss = tf.reduce_mean(tf.square(dense(x, 1, "line") - y), name="loss")
    v1.train.AdamOptimizer(0.1).minimize(loss, name="train")
    v1.summary.scalar("loss", loss)
    v1.global_variables_initializer()
    return v1.train.Saver()

def two_optimizers():
    noise = v1.placeholder(tf.float32, [None, 2], name="noise")
    real = v1.placeholder(tf.float32, [None, 2], name="real")
    with v1.variable_scope("generator"): fake = dense(noise, 2, "layer")
    with v1.variable_scope("judge", reuse=v1.AUTO_REUSE):
        d_real, d_fake = dense(real, 1, "layer"), dense(fake, 1, "layer")
    d_loss = tf.reduce_mean(d_fake - d_real, name="d_loss")
    g_loss = tf.reduce_mean(-d_fake, name="g_loss")
    v1.losses.add_loss(d_loss); v1.losses.add_loss(g_loss)
    vars_of = lambda scope: v1.trainable_variables(scope)
    v1.train.RMSPropOptimizer(0.01).minimize(d_loss, var_list=vars_of("judge"), name="train_judge")
    v1.train.RMSPropOptimizer(0.01).minimize(g_loss, var_list=vars_of("generator"), name="train_generator")
    v1.global_variables_initializer()
    return v1.train.Saver()

def queue_runners():
    number = v1.train.range_input_producer(100, shuffle=False).dequeue(name="number")
    batch = v1.train.batch([tf.cast(number, tf.float32)], 4, name="batched")
    x = tf.reshape(batch, [4, 1])
    loss = tf.reduce_mean(tf.square(dense(x, 1, "line") - 1.0), name="loss")
    v1.train.GradientDescentOptimizer(1e-4).minimize(loss, name="train")
    v1.summary.scalar("loss", loss)
    v1.global_variables_initializer()
    return v1.train.Saver()

def estimator_like():
    x = v1.placeholder_with_default(tf.ones([2, 4]), [None, 4], name="x")
    table = v1.tables_initializer and tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), -1)
    known = table.lookup(tf.constant(["a"]), name="known")
    with tf.control_dependencies([v1.assert_greater(tf.shape(x)[0], 0)]):
        logits = dense(x, 3, "logits")
    loss = v1.losses.mean_squared_error(tf.ones_like(logits), logits)
    v1.train.AdagradOptimizer(0.1).minimize(loss, global_step=v1.train.get_or_create_global_step(), name="train")
    mean, update = v1.metrics.mean(logits)
    scaffold = v1.train.Scaffold(saver=v1.train.Saver(sharded=True))
    v1.summary.scalar("loss", loss)
    scaffold.finalize()
    return scaffold.saver

def prediction():
    x = v1.placeholder(tf.float32, [None, 4], name="x")
    tf.nn.softmax(dense(x, 3, "logits"), name="probabilities")
    checked = tf.constant(1.0, name="limit")
    v1.Assert(checked > 0, ["limit"], name="checked")
    v1.global_variables_initializer(); v1.tables_initializer(); v1.local_variables_initializer()
    v1.report_uninitialized_variables()
    return v1.train.Saver()

def loop_and_branch():
    v1.disable_control_flow_v2()
    x = v1.placeholder(tf.float32, [], name="x")
    branch = v1.cond(x > 0, lambda: x * 2.0, lambda: x - 1.0)
    total = v1.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + branch), [0, 0.0])[1]
    tf.identity(total, name="total")
    return None

def only_saves():
    v1.get_variable("v", [2])
    v1.global_variables_initializer()
    return v1.train.Saver()

programs = [adam, momentum_resource, plain_loss, two_optimizers, queue_runners, estimator_like, prediction, loop_and_branch, only_saves]
if len(sys.argv) == 2:
    for program in programs:
        with tf.Graph().as_default():
            saver = program()
            v1.train.export_meta_graph(os.path.join(folder, program.__name__ + ".meta"), saver_def=saver and saver.as_saver_def())
            if program in (adam, plain_loss):
                tf.io.write_graph(v1.get_default_graph(), folder, program.__name__ + ".pb", as_text=False)
            if program is prediction:
                with v1.Session() as session:
                    session.run(v1.global_variables_initializer())
                    frozen = v1.graph_util.convert_variables_to_constants(session, session.graph_def, ["probabilities"])
                tf.io.write_graph(frozen, folder, "frozen.pb", as_text=False)
    print("RESULT []")
else:
    ran = {}
    for name, choice in json.load(sys.stdin).items():
        with tf.Graph().as_default() as graph, v1.Session() as session:
            if name.endswith(".meta"): v1.train.import_meta_graph(os.path.join(folder, name))
            else:
                definition = v1.GraphDef(); definition.ParseFromString(open(os.path.join(folder, name), "rb").read())
                tf.import_graph_def(definition, name="")
            session.run([v1.global_variables_initializer(), v1.local_variables_initializer(), v1.tables_initializer()])
            if name.endswith(".pb") and name != "frozen.pb": session.run("init")
            feeds = {}
            for op in graph.get_operations():
                if op.type == "Placeholder":
                    shape = [2 if size is None else size for size in op.outputs[0].shape.as_list()]
                    feeds[op.outputs[0]] = np.ones(shape, op.outputs[0].dtype.as_numpy_dtype)
            coordinator = v1.train.Coordinator()
            threads = v1.train.start_queue_runners(session, coordinator)
            try:
                values = session.run(choice["fetches"] + choice["targets"], feeds)
                ran[name] = len(values)
            except Exception as error:
                ran[name] = str(error).splitlines()[0]
            coordinator.request_stop(); session.run([op for op in graph.get_operations() if op.type == "QueueCloseV2" and op.get_attr("cancel_pending_enqueues")])
            coordinator.join(threads, stop_grace_period_secs=5)
    print("RESULT " + json.dumps(ran))
`;

describe.skipIf(peerMissing("tensorflow"))("what is run of graphs that Python exported", () => {
  let folder = "";
  const choices: Record<string, RunChoice> = {};
  let ran: Record<string, number | string> = {};

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tensordeck-choice-"));
    await tensorflowResult(PROGRAMS, { args: [folder] });
    for (const file of readdirSync(folder)) choices[file] = choose(file);
    const toRun = Object.entries(choices).filter(
      ([, { fetches, targets }]) => fetches.length + targets.length,
    );
    ran = await tensorflowResult(PROGRAMS, { args: [folder, "run"], input: Object.fromEntries(toRun) });
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function choose(file: string): RunChoice {
    const { metaGraph } = readGraphFile(new Uint8Array(readFileSync(join(folder, file))), file);
    const { graphDef } = metaGraph;
    const ops = bundledOpRegistry().withFunctions(graphDef?.library);
    return suggestRun({
      nodes: new Map(graphDef?.node.map((node) => [node.name, node])),
      notes: metaGraph,
      library: graphDef?.library?.function ?? [],
      opDef: (op) => ops.get(op),
      fed: new Set(),
    });
  }

  test.each([
    ["adam.meta", ["sparse_softmax_cross_entropy_loss/value:0"], ["train"], "train_op"],
    ["momentum_resource.meta", ["sparse_softmax_cross_entropy_loss/value:0"], ["train"], "train_op"],
    ["plain_loss.meta", ["loss:0"], ["train"], "train_op"],
    ["two_optimizers.meta", ["d_loss:0", "g_loss:0"], ["train_judge", "train_generator"], "train_op"],
    ["queue_runners.meta", ["loss:0"], ["train"], "train_op"],
    ["estimator_like.meta", ["mean_squared_error/value:0"], ["train"], "train_op"],
    ["prediction.meta", ["probabilities:0"], [], "ends"],
    ["frozen.pb", ["probabilities:0"], [], "ends"],
    ["loop_and_branch.meta", ["while/Exit:0", "total:0"], [], "ends"],
    ["only_saves.meta", [], [], "ends"],
    // A GraphDef has no collections: its ends tell.
    ["plain_loss.pb", ["loss:0"], ["train"], "ends"],
    ["adam.pb", ["sparse_softmax_cross_entropy_loss/value:0", "accuracy:0"], ["train"], "ends"],
  ])("%s", (file, fetches, targets, origin) => {
    expect(choices[file]).toEqual({ fetches, targets, origin });
    expect(ran[file]).toBe(
      fetches.length + targets.length === 0 ? undefined : fetches.length + targets.length,
    );
  });
});
