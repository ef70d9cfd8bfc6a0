"""Steps that tfdbg watches, and what it reads of their dumps.

Usage: watched_tensors.py FOLDER TARGET. Prints one JSON object: by case, the dumped tensors of the client's nodes.
"""
import json
import os
import sys

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.core.protobuf import config_pb2
from tensorflow.python.debug.lib import debug_data, debug_utils
from tensorflow.python.debug.wrappers import dumping_wrapper

tf.disable_v2_behavior()
folder, target = sys.argv[1:]
# TensorFlow's optimizer would remove watched nodes, and the portable engine has none.
config = config_pb2.ConfigProto()
config.graph_options.rewrite_options.disable_meta_optimizer = True
config.graph_options.optimizer_options.opt_level = config_pb2.OptimizerOptions.L0
TASKS = ["/job:worker/task:0", "/job:worker/task:1"]


def plain(value):
    if isinstance(value, debug_data.InconvertibleTensorProto):
        return "initialized" if value.initialized else "uninitialized"
    value = np.asarray(value)
    if value.dtype == object:
        return [element.decode() for element in value.ravel()]
    return [str(value.dtype), list(value.shape), [repr(float(element)) for element in value.ravel()]]


def dumped(root, graph):
    """The tensors of the client's nodes, in the order of each; nodes that a runtime makes are left out."""
    dump = debug_data.DebugDumpDir(root)
    names = {op.name for op in graph.get_operations()}
    tensors = {}
    for datum in sorted(dump.dumped_tensor_data, key=lambda one: one.timestamp):
        if datum.node_name in names:
            key = f"{datum.device_name} {datum.watch_key}"
            tensors.setdefault(key, []).append(plain(datum.get_tensor()))
    runs = sorted(
        [meta.session_run_index, meta.global_step, sorted(meta.output_names), sorted(meta.target_nodes)]
        for meta in (dump.core_metadata if isinstance(dump.core_metadata, list) else [dump.core_metadata])
    )
    return {"tensors": tensors, "runs": runs, "devices": sorted(dump.devices())}


def watched(name, session, fetches, feeds=None, ops=("DebugIdentity",), **options):
    root = os.path.join(folder, name)
    run_options = config_pb2.RunOptions()
    debug_utils.watch_graph(run_options, session.graph, debug_ops=list(ops), debug_urls=[f"file://{root}"], **options)
    session.run(fetches, feeds, options=run_options)
    return dumped(root, session.graph)


def error_of(action):
    try:
        action()
        return None
    except tf.errors.OpError as error:
        return type(error).__name__


def values():
    """Dtypes, several outputs, and a reference variable without a value and with one."""
    with tf.Graph().as_default() as graph:
        a = tf.placeholder(tf.float32, [2], name="a")
        with tf.device(TASKS[0]):
            v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=False)
            m = tf.multiply(a, v, name="m")
            whole = tf.cast(m, tf.int32, name="whole")
            unique, _ = tf.unique(whole, name="unique")
        with tf.device(TASKS[1]):
            text = tf.as_string(m, name="text")
            log = tf.log(m - 5.0, name="log")
            z = tf.add(log, m, name="z")
        with tf.Session(target, config=config) as session:
            feeds = {a: [3, 4]}
            yield "initialize", watched("initialize", session, v.initializer)
            yield "identity", watched("identity", session, [z, text, unique], feeds, global_step=7)
            yield "again", watched("identity", session, [z, text, unique], feeds, global_step=7)
            yield "numbers", watched(
                "numbers",
                session,
                z,
                feeds,
                ["DebugNanCount", "DebugNumericSummary", "DebugNumericSummary(lower_bound=-1.5; upper_bound=3)"],
                tensor_dtype_regex_allowlist="float32$",
            )
            yield "unhealthy", watched(
                "unhealthy",
                session,
                z,
                feeds,
                ["DebugNumericSummary(mute_if_healthy=true)"],
                tensor_dtype_regex_allowlist="float32$",
            )
            for name, op in {
                "no op": "DebugNothing",
                "no attribute": "DebugIdentity(colour=red)",
                "malformed": "DebugIdentity(",
                "twice": "DebugIdentity(gated_grpc=0; gated_grpc=1)",
                "no bool": "DebugNumericSummary(mute_if_healthy=perhaps)",
            }.items():
                yield name, error_of(lambda op=op: watched("errors", session, z, feeds, [op]))
            yield "strings", error_of(lambda: watched("errors", session, text, feeds, ["DebugNanCount"]))
            yield "tolerated", watched(
                "tolerated",
                session,
                text,
                feeds,
                ["DebugNanCount"],
                node_name_regex_allowlist="(m|text)$",
                tolerate_debug_op_creation_failures=True,
            )


def flow():
    """Branches and loops of version 1: dead tensors are not dumped, and those of each iteration are, in order."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.int32, [], name="x")
        with tf.device(TASKS[0]):
            w = tf.get_variable("w", initializer=5, use_resource=True)
            end = tf.while_loop(lambda i: tf.less(i, 4), lambda i: tf.add(i, 1, name="next"), [x], name="loop")
            either = tf.cond(tf.greater(x, 1), lambda: tf.add(x, w, name="more"), lambda: tf.subtract(x, w, name="less"))
            total = tf.add(end, either, name="total")
        with tf.Session(target, config=config) as session:
            session.run(w.initializer)
            yield "loop", watched("loop", session, total, {x: 2})
            update = w.assign_add(1, name="update")
            yield "update", watched("update", session, update)


def wrapper():
    """The session that writes a dump of each run."""
    with tf.Graph().as_default():
        with tf.device(TASKS[1]):
            y = tf.add(tf.random_uniform([], 1, 2, seed=1), 1.0, name="y")
        root = os.path.join(folder, "wrapper")
        os.mkdir(root)
        with dumping_wrapper.DumpingDebugWrapperSession(tf.Session(target, config=config), session_root=root) as session:
            results = [session.run(y) for _ in range(2)]
        dumps = [debug_data.DebugDumpDir(os.path.join(root, run)) for run in sorted(os.listdir(root))]
        found = [float(dump.watch_key_to_data("y:0:DebugIdentity")[0].get_tensor()) for dump in dumps]
        yield "wrapper", sorted(found) == sorted(float(result) for result in results)


# Control flow as clients of tfdbg write it: version 2 is lowered by the master, under other names.
tf.disable_control_flow_v2()
print(json.dumps({name: result for case in (values, flow, wrapper) for name, result in case()}))
