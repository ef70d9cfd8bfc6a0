"""Runs collective operations over all tasks of a cluster and prints their results as JSON.

Usage: collectives.py CLUSTER_JSON STOCK_TASKS_JSON
The stock servers of the job "worker" with these indices are started in this process; who serves the others is the
caller's affair. Task 0 leads the groups.
"""

import json
import os
import sys
from concurrent.futures import ThreadPoolExecutor

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402
from tensorflow.python.ops import collective_ops  # noqa: E402

v1 = tf.compat.v1
v1.disable_eager_execution()

TIMEOUT_MILLIS = 20_000
addresses = json.loads(sys.argv[1])["worker"]
tasks = range(len(addresses))
config = v1.ConfigProto()
config.experimental.collective_group_leader = "/job:worker/replica:0/task:0"


def numbers(task, dtype, count):
    """Numbers whose sums depend on the order of the summands."""
    values = np.random.RandomState(task).uniform(-3, 3, count) * 10.0 ** (task * 2)
    return tf.constant(values > 0 if dtype == tf.bool else values.astype(dtype.as_numpy_dtype))


def on_all(make):
    """One node for each task."""
    nodes = []
    for task in tasks:
        with tf.device(f"/job:worker/task:{task}/device:CPU:0"):
            nodes.append(make(task))
    return nodes


def run(build, target=0, times=1, graph_key=0):
    options = v1.RunOptions(timeout_in_ms=TIMEOUT_MILLIS)
    options.experimental.collective_graph_key = graph_key
    with tf.Graph().as_default() as graph:
        fetches = build()
        with v1.Session(f"grpc://{addresses[target]}", graph=graph, config=config) as session:
            return [[value.tobytes().hex() for value in session.run(fetches, options=options)] for _ in range(times)]


servers = [
    tf.distribute.Server(
        tf.train.ClusterSpec({"worker": addresses}), job_name="worker", task_index=index, config=config
    )
    for index in json.loads(sys.argv[2])
]
size = len(addresses)
results = {}
instance = 0


def case(name, make, **options):
    global instance
    instance += 1
    key = instance
    results[name] = run(lambda: on_all(lambda task: make(task, key)), **options)


def reduce(dtype, count, merge="Add", final="Id"):
    return lambda task, key: collective_ops.all_reduce(numbers(task, dtype, count), size, 1, key, merge, final)


def reduce_v2(count, merge="Add", final="Id"):
    return lambda task, key: collective_ops.all_reduce_v2(
        numbers(task, tf.float32, count), size, 1, key, merge_op=merge, final_op=final
    )


def gather(dtype, count):
    return lambda task, key: collective_ops.all_gather(tf.reshape(numbers(task, dtype, count), [2, -1]), size, 1, key)


def broadcast(dtype, count, source):
    def make(task, key):
        if task == source:
            return collective_ops.broadcast_send(numbers(task, dtype, count), [count], dtype, size, 1, key)
        return collective_ops.broadcast_recv([count], dtype, size, 1, key)

    return make


def broadcast_v2(count, source):
    def make(task, key):
        if task == source:
            return collective_ops.broadcast_send_v2(numbers(task, tf.float32, count), size, 1, key)
        return collective_ops.broadcast_recv_v2([count], tf.float32, size, 1, key)

    return make


for dtype in (tf.float32, tf.float64, tf.float16, tf.bfloat16, tf.int32, tf.int64):
    case(f"sum {dtype.name}", reduce(dtype, 37))
for merge in ("Mul", "Min", "Max"):
    case(f"{merge} float32", reduce(tf.float32, 100, merge))
    case(f"{merge} int64", reduce(tf.int64, 5, merge))
case("mean", reduce(tf.float32, 1000, final="Div"))
case("mean int32", reduce(tf.int32, 5, final="Div"))
case("mean float16", reduce(tf.float16, 70, final="Div"))
case("one element", reduce(tf.float32, 1))
case("chunks of 64 bytes", reduce(tf.float32, 48))
case("large", reduce(tf.float32, 1_500_001))
case("three steps", reduce(tf.float32, 50), times=3)
case("another master", reduce(tf.float32, 50), target=1, times=2)
case("a key of its own", reduce(tf.float32, 50), graph_key=5, times=2)
case("the same key, another master", reduce(tf.float32, 50), graph_key=5, target=1, times=2)
case("the first master again", reduce(tf.float32, 50), graph_key=5, times=2)
for dtype in (tf.float32, tf.float64, tf.float16, tf.int32, tf.int64):
    case(f"gather {dtype.name}", gather(dtype, 6))
case("large gather", gather(tf.float32, 400_000))
for dtype in (tf.float32, tf.float64, tf.float16, tf.int32, tf.int64, tf.bool):
    case(f"broadcast {dtype.name}", broadcast(dtype, 9, 0))
for source in tasks[1:]:
    case(f"broadcast from {source}", broadcast(tf.float32, 9, source))
case("sum V2", reduce_v2(37), times=2)
case("mean V2", reduce_v2(37, final="Div"))
case("max V2", reduce_v2(37, "Max"))
case(
    "gather V2",
    lambda task, key: collective_ops.all_gather_v2(tf.reshape(numbers(task, tf.float32, 6), [3, 2]), size, 1, key),
)
for source in tasks:
    case(f"broadcast V2 from {source}", broadcast_v2(9, source))


def run_alone(task, make, key, graph_key, times):
    """The node of one task alone, in a session of the task's own master."""
    options = v1.RunOptions(timeout_in_ms=TIMEOUT_MILLIS)
    options.experimental.collective_graph_key = graph_key
    with tf.Graph().as_default() as graph:
        with tf.device(f"/job:worker/task:{task}/device:CPU:0"):
            fetch = make(task, key)
        with v1.Session(f"grpc://{addresses[task]}", graph=graph, config=config) as session:
            return [session.run(fetch, options=options).tobytes().hex() for _ in range(times)]


def masters_case(name, make, graph_key, times=3):
    global instance
    instance += 1
    key = instance
    with ThreadPoolExecutor(size) as threads:
        results[name] = list(threads.map(lambda task: run_alone(task, make, key, graph_key, times), tasks))


masters_case("a master each", reduce(tf.float32, 50), 0)
masters_case("a master each, with a key", reduce(tf.float32, 50), 77)
masters_case("a master each, V2", reduce_v2(50), 0)

print(json.dumps(results), flush=True)
# A stock server cannot be shut down; the process just goes.
os._exit(0)
