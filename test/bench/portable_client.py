"""The stock Python client of the portable engine's benchmarks, the same for both kinds of server.

Usage: portable_client.py CLUSTER_JSON. For every line {"measure": NAME} on standard input it measures that on the cluster
and answers with one line of JSON: {"values": [milliseconds or rates, ...]}. Each measure makes a session of its own,
warms up, and closes it.
"""
import json
import os
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
spec = tf.train.ClusterSpec(json.loads(sys.argv[1]))
TARGET = "grpc://" + spec.task_address("worker", 0)
WORKERS = spec.num_tasks("worker")
# Programs run steps by the thousand. In the first ones compilers of JavaScript and WebAssembly are still at work.
SMALL_STEPS, SMALL_WARM_UP = 200, 500
LARGE_FLOATS = 16 * 1024 * 1024
LARGE_STEPS = 3
MATRIX = 1024
MATRIX_STEPS = 5
MLP_STEPS, MLP_WARM_UP = 100, 200
MANY_NODES = 10_000


def unoptimized():
    """As the graph is: a master that optimizes would compute constants beforehand."""
    config = tf1.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = tf1.OptimizerOptions.L0
    return config


def on_worker(index):
    return tf1.device("/job:worker/task:%d" % index)


def millis(step, count, warm_up=1):
    for _ in range(warm_up):
        step()
    times = []
    for _ in range(count):
        start = time.perf_counter()
        step()
        times.append((time.perf_counter() - start) * 1000)
    return times


def timed(build, count, warm_up=1):
    """Milliseconds of steps of a graph; `build` gives fetches, feeds and what to run before."""
    graph = tf.Graph()
    with graph.as_default():
        fetches, feeds, init = build()
    with tf1.Session(TARGET, graph=graph, config=unoptimized()) as session:
        if init is not None:
            session.run(init)
        runner = session.make_callable(fetches, list(feeds))
        values = list(feeds.values())
        return millis(lambda: runner(*values), count, warm_up)


def one_task():
    def build():
        with on_worker(0):
            a, b = tf1.placeholder(tf.float32, []), tf1.placeholder(tf.float32, [])
            return a + b, {a: 3.0, b: 2.0}, None

    return timed(build, SMALL_STEPS, SMALL_WARM_UP)


def two_tasks():
    def build():
        with on_worker(0):
            a, b = tf1.placeholder(tf.float32, []), tf1.placeholder(tf.float32, [])
            x = a + b
        with on_worker(1):
            return x * 2.0, {a: 3.0, b: 2.0}, None

    return timed(build, SMALL_STEPS, SMALL_WARM_UP)


def fan_in():
    def build():
        with on_worker(0):
            a = tf1.placeholder(tf.float32, [])
        parts = []
        for index in range(WORKERS):
            with on_worker(index):
                parts.append(a * float(index))
        with on_worker(0):
            return tf.add_n(parts), {a: 1.0}, None

    return timed(build, SMALL_STEPS, SMALL_WARM_UP)


def transfer():
    """64 MB from one task to another: MB/s."""

    def build():
        with on_worker(1):
            big = tf1.get_variable("big", shape=[LARGE_FLOATS], initializer=tf1.ones_initializer(), use_resource=True)
            value = big.read_value()
        with on_worker(0):
            return value[0], {}, big.initializer

    return [LARGE_FLOATS * 4 / 1e6 / (t / 1000) for t in timed(build, LARGE_STEPS)]


def mlp():
    """Steps per second of two workers that train one model of 784-256-10 on a parameter server, by batches of 100."""
    import threading

    random = np.random.RandomState(1)
    pictures = random.uniform(0, 1, (100, 784)).astype(np.float32)
    labels = random.randint(0, 10, 100)
    ready = threading.Barrier(2)
    rates = []

    def work(index):
        graph = tf.Graph()
        setter = tf1.train.replica_device_setter(worker_device="/job:worker/task:%d" % index, cluster=spec)
        with graph.as_default(), tf1.device(setter):
            x, y = tf1.placeholder(tf.float32, [100, 784]), tf1.placeholder(tf.int64, [100])
            hidden = tf.nn.relu(layer(x, 784, 256, "hidden"))
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=layer(hidden, 256, 10, "top"))
            )
            step = tf1.train.GradientDescentOptimizer(0.01).minimize(loss)
            init = tf1.global_variables_initializer()
        with tf1.Session("grpc://" + spec.task_address("worker", index), graph=graph) as session:
            if index == 0:
                session.run(init)
            ready.wait()
            runner = session.make_callable([step, loss], [x, y])
            for _ in range(MLP_WARM_UP):
                runner(pictures, labels)
            ready.wait()
            start = time.perf_counter()
            for _ in range(MLP_STEPS):
                runner(pictures, labels)
            rates.append(MLP_STEPS / (time.perf_counter() - start))

    threads = [threading.Thread(target=work, args=(index,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [sum(rates)]


def layer(x, inputs, outputs, name):
    w = tf1.get_variable(name + "/w", initializer=tf1.random_uniform([inputs, outputs], -0.05, 0.05, seed=1), use_resource=True)
    b = tf1.get_variable(name + "/b", initializer=tf.zeros([outputs]), use_resource=True)
    return tf1.nn.bias_add(tf.matmul(x, w), b)


def mat_mul():
    def build():
        with on_worker(0):
            a = tf1.get_variable("a", initializer=tf1.random_uniform([MATRIX, MATRIX], seed=1), use_resource=True)
            return tf.matmul(a.read_value(), a.read_value())[0, 0], {}, a.initializer

    return timed(build, MATRIX_STEPS)


def many_nodes_graph():
    graph = tf.Graph()
    with graph.as_default(), on_worker(0):
        x = tf1.placeholder(tf.float32, [], name="x")
        y = x
        for _ in range(MANY_NODES):
            y = tf.raw_ops.AddV2(x=y, y=x)
    return graph, x, y


def first_run():
    """A session with a graph of many nodes, and its first step."""
    graph, x, y = many_nodes_graph()
    times = []
    for _ in range(2):
        start = time.perf_counter()
        with tf1.Session(TARGET, graph=graph, config=unoptimized()) as session:
            session.run(y, {x: 1.0})
            times.append((time.perf_counter() - start) * 1000)
    return times


def cached_run():
    graph, x, y = many_nodes_graph()
    with tf1.Session(TARGET, graph=graph, config=unoptimized()) as session:
        return millis(lambda: session.run(y, {x: 1.0}), 5)


for line in sys.stdin:
    print(json.dumps({"values": globals()[json.loads(line)["measure"]]()}), flush=True)
