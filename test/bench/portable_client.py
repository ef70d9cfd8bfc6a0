"""The stock Python client of the portable engine's benchmarks, the same for both kinds of server.

Usage: portable_client.py CLUSTER_JSON. For every line {"measure": NAME} on standard input it measures that on the cluster
and answers with one line of JSON: {"values": [milliseconds or rates, ...]} or {"error": TEXT}. What runs the same step
again and again keeps its session: the first time makes it and warms up, so that short turns of both clusters can follow
each other.
"""
import json
import os
import sys
import threading
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
import grpc
import tensorflow as tf

import models

tf1 = tf.compat.v1
spec = tf.train.ClusterSpec(json.loads(sys.argv[1]))
TARGET = "grpc://" + spec.task_address("worker", 0)
WORKERS = spec.num_tasks("worker")
# Programs run steps by the thousand. In the first ones compilers of JavaScript and WebAssembly are still at work.
SMALL_STEPS, SMALL_WARM_UP = 50, 500
LARGE_FLOATS = 16 * 1024 * 1024
MATRIX = 1024
MANY_NODES = 10_000
# Networks warm up for so many seconds, too: until the engine has made the sessions of their regions, and the JavaScript
# around them is compiled. A step of the CNN takes 10 ms: after 5 seconds it still had a fifth to lose.
NETWORK_SECONDS = 15


def unoptimized():
    """As the graph is: a master that optimizes would compute constants beforehand."""
    config = tf1.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = tf1.OptimizerOptions.L0
    return config


def on_worker(index):
    return tf1.device("/job:worker/task:%d" % index)


def millis(step, count):
    times = []
    for _ in range(count):
        start = time.perf_counter()
        step()
        times.append((time.perf_counter() - start) * 1000)
    return times


steps = {}
sessions = []


def timed(name, build, count, warm_up=3, seconds=0, config=None):
    """Milliseconds of steps of a graph; `build` gives fetches, feeds and what to run before."""
    if name not in steps:
        graph = tf.Graph()
        with graph.as_default():
            fetches, feeds, init = build()
        session = tf1.Session(TARGET, graph=graph, config=config)
        sessions.append(session)
        if init is not None:
            session.run(init)
        runner = session.make_callable(fetches, list(feeds))
        values = list(feeds.values())
        steps[name] = lambda: runner(*values)
        end = time.perf_counter() + seconds
        millis(steps[name], warm_up)
        while time.perf_counter() < end:
            steps[name]()
    return millis(steps[name], count)


def rates(times):
    return [1000 / t for t in times]


def one_task():
    def build():
        with on_worker(0):
            a, b = tf1.placeholder(tf.float32, []), tf1.placeholder(tf.float32, [])
            return a + b, {a: 3.0, b: 2.0}, None

    return timed("one_task", build, SMALL_STEPS, SMALL_WARM_UP, config=unoptimized())


def two_tasks():
    def build():
        with on_worker(0):
            a, b = tf1.placeholder(tf.float32, []), tf1.placeholder(tf.float32, [])
            x = a + b
        with on_worker(1):
            return x * 2.0, {a: 3.0, b: 2.0}, None

    return timed("two_tasks", build, SMALL_STEPS, SMALL_WARM_UP, config=unoptimized())


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

    return timed("fan_in", build, SMALL_STEPS, SMALL_WARM_UP, config=unoptimized())


def transfer():
    """64 MB from one task to another: MB/s."""

    def build():
        with on_worker(1):
            big = tf1.get_variable("big", shape=[LARGE_FLOATS], initializer=tf1.ones_initializer(), use_resource=True)
            value = big.read_value()
        with on_worker(0):
            return value[0], {}, big.initializer

    times = timed("transfer", build, count=2, warm_up=5, config=unoptimized())
    return [LARGE_FLOATS * 4 / 1e6 / (t / 1000) for t in times]


def mat_mul():
    def build():
        with on_worker(0):
            a = tf1.get_variable("a", initializer=tf1.random_uniform([MATRIX, MATRIX], seed=1), use_resource=True)
            # A product of variables alone does not change between steps, and an engine may compute it once.
            scale = tf1.placeholder(tf.float32, [])
            return tf.matmul(a.read_value() * scale, a.read_value())[0, 0], {scale: 1.0}, a.initializer

    return timed("mat_mul", build, count=3, seconds=3, config=unoptimized())


def mlp():
    """Steps of training per second, everything on one worker."""

    def build():
        with on_worker(0):
            return models.mlp()

    return rates(timed("mlp", build, count=40, warm_up=200, seconds=NETWORK_SECONDS))


def mlp_ps():
    """As `mlp`, with the variables on a parameter server."""

    def build():
        with tf1.device(tf1.train.replica_device_setter(worker_device="/job:worker/task:0", cluster=spec)):
            return models.mlp()

    return rates(timed("mlp_ps", build, count=40, warm_up=200, seconds=NETWORK_SECONDS))


def cnn():
    def build():
        with on_worker(0):
            return models.cnn()

    return rates(timed("cnn", build, count=10, warm_up=20, seconds=NETWORK_SECONDS))


def mobile_net():
    def build():
        with on_worker(0):
            return models.mobile_net()

    return rates(timed("mobile_net", build, count=3, warm_up=6, seconds=NETWORK_SECONDS))


def many_nodes():
    x = tf1.placeholder(tf.float32, [], name="x")
    y = x
    for _ in range(MANY_NODES):
        y = tf.raw_ops.AddV2(x=y, y=x)
    return y, {x: 1.0}, None


many = {}


def first_run():
    """A session with a graph of many nodes, and its first step."""
    if not many:
        many["graph"] = tf.Graph()
        with many["graph"].as_default(), on_worker(0):
            many["fetch"], many["feeds"], _ = many_nodes()
    start = time.perf_counter()
    with tf1.Session(TARGET, graph=many["graph"], config=unoptimized()) as session:
        session.run(many["fetch"], many["feeds"])
        return [(time.perf_counter() - start) * 1000]


def cached_run():
    def build():
        with on_worker(0):
            return many_nodes()

    return timed("cached_run", build, count=10, warm_up=20, seconds=2, config=unoptimized())


def answering():
    """Milliseconds of GetStatus while MobileNetV2 is computed without a pause."""
    mobile_net()
    ended = threading.Event()

    def compute():
        while not ended.is_set():
            steps["mobile_net"]()

    computing = threading.Thread(target=compute)
    with grpc.insecure_channel(spec.task_address("worker", 0)) as channel:
        # Messages without fields are empty.
        status = channel.unary_unary("/tensorflow.WorkerService/GetStatus")
        status(b"")
        computing.start()
        try:
            times = []
            for _ in range(100):
                time.sleep(0.01)
                times += millis(lambda: status(b""), 1)
        finally:
            ended.set()
            computing.join()
    return times


for line in sys.stdin:
    try:
        answer = {"values": globals()[json.loads(line)["measure"]]()}
    except Exception as error:  # The client goes on to the next measurement.
        answer = {"error": str(error)[-2000:]}
    print(json.dumps(answer), flush=True)
for session in sessions:
    session.close()
