"""The client's side: fetches and feeds of all kinds, options, callables, partial runs, traces, checkpoints, errors."""
import os
import threading

import numpy as np
import tensorflow as tf

from support import drawn, error_of, initialized, program, session_on, tf1


@program
def fetches_and_feeds(cluster):
    x = tf1.placeholder(tf.float32, [None, 2], name="x")
    d = tf1.placeholder_with_default(tf.constant(2.0), [])
    s = tf1.sparse_placeholder(tf.int32)
    v = tf1.get_variable("fetched", initializer=[1.0, 2.0], use_resource=False)
    y = x * d + v
    with initialized(cluster) as session:
        callable_ = session.make_callable([y, d], feed_list=[x, d])
        value = tf1.SparseTensorValue([[0, 1]], [5], [1, 2])
        return [
            session.run({"y": y, "list": [d, v], "none": [tf.no_op()]}, {x: [[1, 2]]}), callable_([[1.0, 1.0]], 3.0), session.run(s, {s: value}),
            session.run(y, {x: np.zeros([0, 2])}), session.run(y, {"x:0": [[1, 2]], v: [10.0, 20.0]}), session.run("x:0", {x: [[3, 4]]}),
            session.run([y, y, y[0]], {x: [[1, 2]]}), session.run(y + 1, {y: [[7.0, 7.0]]}),
            error_of(lambda: session.run(y)), error_of(lambda: session.run(tf.matmul(x, x), {x: [[1, 2]]})),
            error_of(lambda: session.run(tf1.Variable(1.0, use_resource=False))), error_of(lambda: session.run(tf1.Variable(1.0, use_resource=True))),
            sorted(session.run(tf1.report_uninitialized_variables()).tolist()),
        ]


@program
def partial_run(cluster):
    a, b, c = [tf1.placeholder(tf.float32, []) for _ in range(3)]
    r1 = a + b
    r2 = r1 * c
    with session_on(cluster) as session:
        handle = session.partial_run_setup([r1, r2], [a, b, c])
        first = session.partial_run(handle, r1, {a: 1, b: 2})
        return [first, session.partial_run(handle, r2, {c: first * 17})]


@program
def devices_and_options(cluster):
    config = tf1.ConfigProto(
        allow_soft_placement=True, log_device_placement=True, inter_op_parallelism_threads=2, intra_op_parallelism_threads=1,
        gpu_options=tf1.GPUOptions(allow_growth=True, per_process_gpu_memory_fraction=0.3), operation_timeout_in_ms=20000,
        graph_options=tf1.GraphOptions(optimizer_options=tf1.OptimizerOptions(opt_level=tf1.OptimizerOptions.L0)),
    )
    with tf1.device("/gpu:0"):
        on_gpu = tf.constant(1.0) + 2.0
    with session_on(cluster, config=config) as session:
        listed = sorted(device.name for device in session.list_devices())
        results = [listed, session.run(on_gpu)]
    with tf1.device("/job:nobody/task:0"):
        nowhere = tf.constant(1.0) * tf1.placeholder_with_default(2.0, [])
    with session_on(cluster) as session:
        return results + [error_of(lambda: session.run(nowhere))]


@program
def traces(cluster):
    from tensorflow.python.client import timeline

    with tf1.device("/job:ps/task:1"):
        w = tf1.get_variable("w", initializer=drawn(1, 30, 30), use_resource=True)
    with tf1.device("/job:worker/task:0"):
        y = tf.matmul(w, w, name="product")
    with initialized(cluster) as session:
        metadata = tf1.RunMetadata()
        session.run(y, options=tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE, output_partition_graphs=True), run_metadata=metadata)
        trace = timeline.Timeline(metadata.step_stats).generate_chrome_trace_format()
        return ['"product"' in trace, len(metadata.partition_graphs)]


@program
def time_limits(cluster):
    """Steps that wait for ever end at their deadline; a session closed from another thread ends them, too."""
    waiting = tf1.FIFOQueue(1, tf.int32, shared_name="never").dequeue()
    with session_on(cluster) as session:
        limited = error_of(lambda: session.run(waiting, options=tf1.RunOptions(timeout_in_ms=300)))
    with session_on(cluster, config=tf1.ConfigProto(operation_timeout_in_ms=2000)) as session:
        by_config = error_of(lambda: session.run(waiting))
    with session_on(cluster) as session:
        return [limited, by_config, session.run(tf.constant(4))]


@program
def save_and_restore(cluster):
    with tf1.device(tf1.train.replica_device_setter(cluster=cluster.spec)):
        a = tf1.get_variable("a", initializer=drawn(1, 5, 3), use_resource=True)
        b = tf1.get_variable("b", initializer=np.int64([4, 5]), use_resource=False)
        with tf1.variable_scope("cut", partitioner=tf1.fixed_size_partitioner(2)):
            c = tf1.get_variable("c", [4, 2], initializer=tf1.ones_initializer(), use_resource=True)
        names = tf1.get_variable("names", initializer=["x", "yy"], use_resource=True)
        saver = tf1.train.Saver(max_to_keep=2)
        part = tf1.train.Saver({"other_a": a})
        cleared = tf.group(a.assign(tf.zeros([5, 3])), tf1.assign(b, np.int64([0, 0])), *[p.assign(tf.zeros(p.shape)) for p in list(c)])
    with initialized(cluster) as session:
        for i in range(3):
            path = saver.save(session, cluster.path("saved"), global_step=i)
        other = part.save(session, cluster.path("part"), write_meta_graph=False)
        session.run(cleared)
        saver.restore(session, path)
        values = session.run([a, b, list(c), names])
        missing = error_of(lambda: part.restore(session, path))
    with tf.Graph().as_default(), session_on(cluster) as session:
        loaded = tf1.train.import_meta_graph(path + ".meta")
        loaded.restore(session, path)
        again = session.run(["a/Read/ReadVariableOp:0", "b:0"])
    shapes = {name: list(shape) for name, shape in tf.train.list_variables(path)}
    stock = tf.train.load_checkpoint(path)
    kept = sorted(name for name in os.listdir(cluster.folder) if name.startswith("saved-") and name.endswith(".index"))
    return [values, missing, again, shapes, stock.get_tensor("cut/c"), kept, tf.train.load_checkpoint(other).get_tensor("other_a")]


@program
def saved_model(cluster):
    folder = cluster.path("exported")
    x = tf1.placeholder(tf.float32, [None, 2])
    w = tf1.get_variable("w", initializer=drawn(1, 2, 2))
    y = tf.nn.softmax(tf.matmul(x, w))
    with initialized(cluster) as session:
        tf1.saved_model.simple_save(session, folder, {"x": x}, {"y": y})
    with tf.Graph().as_default(), session_on(cluster) as session:
        meta = tf1.saved_model.load(session, ["serve"], folder)
        signature = meta.signature_def["serving_default"]
        return session.run(signature.outputs["y"].name, {signature.inputs["x"].name: drawn(2, 3, 2)})


@program
def frozen_graph(cluster):
    x = tf1.placeholder(tf.float32, [None, 2], name="x")
    w = tf1.get_variable("w", initializer=drawn(1, 2, 2), use_resource=True)
    tf.nn.relu(tf.matmul(x, w), name="y")
    with initialized(cluster) as session:
        frozen = tf1.graph_util.convert_variables_to_constants(session, tf1.get_default_graph().as_graph_def(), ["y"])
    with tf.Graph().as_default(), session_on(cluster) as session:
        y, = tf1.import_graph_def(frozen, return_elements=["y:0"])
        return session.run(y, {"import/x:0": drawn(2, 3, 2)})


@program
def growing_graph(cluster):
    """A notebook adds to its graph between runs, from two threads."""
    v = tf1.get_variable("growing", initializer=0.0, use_resource=False)
    results = []
    with initialized(cluster) as session:
        for i in range(10):
            results.append(session.run(tf1.assign_add(v, float(i))))
        adds = tf1.assign_add(v, 1.0, use_locking=True)
        threads = [threading.Thread(target=lambda: [session.run(adds) for _ in range(20)]) for _ in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        results.append(session.run(v))
    return results


@program
def many_types(cluster):
    results = []
    for dtype in (tf.float16, tf.bfloat16, tf.float64, tf.int8, tf.uint8, tf.int16, tf.uint16, tf.int64, tf.uint32, tf.uint64, tf.complex64, tf.complex128, tf.bool):
        x = tf1.placeholder(dtype, [3])
        with session_on(cluster) as session:
            value = np.array([1, 0, 1]).astype(dtype.as_numpy_dtype)
            y = tf.cast(x, tf.complex64 if dtype.is_complex else tf.float32)
            back = tf.cast(y, dtype)
            total = tf.reduce_any(x) if dtype == tf.bool else tf.cast(tf.reduce_sum(x * x), tf.complex64 if dtype.is_complex else tf.float32)
            got = session.run([y, back, total], {x: value})
            results.append([dtype.name, got[0], str(got[1].dtype), got[2]])
    return results


@program
def variables_of_every_kind(cluster):
    with tf1.device("/job:ps/task:1"):
        results = []
        made = {use: tf1.get_variable("v%s" % use, initializer=drawn(1, 4, 2), use_resource=use) for use in (True, False)}
        steps = []
        for use, v in made.items():
            indices = tf.IndexedSlices(tf.ones([2, 2]), tf.constant([1, 3]), tf.constant([4, 2]))
            steps += [lambda v=v: tf1.scatter_update(v, [0, 2], [[1.0, 2.0], [3.0, 4.0]]), lambda v=v: tf1.scatter_nd_add(v, [[1, 1]], [5.0]),
                      lambda v=v: v[1:3, 0].assign([8.0, 9.0]), lambda v=v: tf1.assign_sub(v, tf.ones([4, 2])), lambda v=v: v.scatter_sub(indices),
                      lambda v=v: tf1.scatter_mul(v, [0], [[2.0, 2.0]]), lambda v=v: tf1.count_up_to(counter, 2), lambda v=v: tf1.scatter_max(v, [0], [[9.0, 0.0]])]
        counter = tf1.get_variable("counter", initializer=0, use_resource=False)
        with initialized(cluster) as session:
            for step in steps:
                try:
                    results.append(session.run(step()))
                except tf.errors.OpError as error:
                    results.append(type(error).__name__)
            results.append(session.run([tf1.is_variable_initialized(v) for v in made.values()]))
            results.append(session.run([v.value() for v in made.values()]))
    return results


@program
def containers(cluster):
    with tf1.container("mine"):
        v = tf1.Variable(1.0, use_resource=False, name="contained")
    with session_on(cluster) as session:
        session.run(v.initializer)
        before = session.run(v)
    tf1.Session.reset(cluster.target(), ["mine"])
    with session_on(cluster) as session:
        return [before, error_of(lambda: session.run(v))]


@program
def accumulators(cluster):
    with tf1.device("/job:ps/task:0"):
        dense = tf1.ConditionalAccumulator(tf.float32, [2], shared_name="dense")
        sparse = tf1.SparseConditionalAccumulator(tf.float32, [4, 2], shared_name="sparse")
        barrier_size = dense.num_accumulated()
    slices = tf.IndexedSlices(tf.ones([2, 2]), tf.constant([1, 3], tf.int64), tf.constant([4, 2], tf.int64))
    with session_on(cluster) as session:
        for value in ([1.0, 2.0], [3.0, 4.0]):
            session.run([dense.apply_grad(value), sparse.apply_indexed_slices_grad(slices)])
        return session.run([barrier_size, dense.take_grad(2), sparse.take_indexed_slices_grad(1)])
