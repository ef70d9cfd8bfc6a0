"""Stock programs for a cluster of three workers: 0 has a GPU, 1 has none, 2 is TensorFlow's own server in this process.

`gpu_programs.py CLUSTER_JSON` prints one line of JSON. For each program: what it gave on the GPU ("actual"), what
TensorFlow gave on a CPU ("expected"), and the nodes of its last step by device, each with its label ("devices").
"""
import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
GPU_TASK, CPU_TASK, STOCK_TASK = 0, 1, 2
STEPS = 4


def drawn(seed, *shape):
    return np.random.RandomState(seed).uniform(-0.5, 0.5, shape).astype(np.float32)


def gpu_of(task):
    return f"/job:worker/task:{task}/gpu:0"


class Cluster:
    def __init__(self, spec):
        self.spec = spec

    def session(self, task, soft=False):
        target = "grpc://" + self.spec.task_address("worker", task)
        return tf1.Session(target, config=tf1.ConfigProto(allow_soft_placement=soft))


def listed(value):
    return np.asarray(value, np.float64).ravel().tolist()


def steps(session, fetches, feeds):
    """What some steps give, one after another, and the nodes of the last one by device, with their labels."""
    session.run(tf1.global_variables_initializer())
    values = []
    metadata = tf1.RunMetadata()
    for step in range(STEPS):
        last = step == STEPS - 1
        options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE if last else tf1.RunOptions.NO_TRACE)
        values.append(session.run(fetches, feeds, options, metadata if last else None))
    nodes = {
        device.device: {node.node_name: node.timeline_label for node in device.node_stats} for device in metadata.step_stats.dev_stats
    }
    return [[listed(value) for value in step] for step in values], nodes


def on_both(cluster, build):
    """A program on the GPU, which is asked for, and on TensorFlow's server, which has none."""
    results = []
    for task in (GPU_TASK, STOCK_TASK):
        with tf.Graph().as_default():
            with tf1.device(gpu_of(task)):
                fetches, feeds = build()
            with cluster.session(task, soft=task == STOCK_TASK) as session:
                results.append(steps(session, fetches, feeds))
    (actual, devices), (expected, _) = results
    return {"actual": actual, "expected": expected, "devices": devices}


def exchange(cluster, other, master):
    """Values go from the GPU to another task's CPU and back; a variable on the GPU is trained by what comes back."""

    def build(gpu, cpu):
        x = tf1.placeholder(tf.float32, [None, 6], name="x")
        with tf1.device(gpu):
            w = tf1.Variable(drawn(1, 6, 5), name="w", use_resource=True)
            there = tf.matmul(x, w, name="there")
        with tf1.device(cpu):
            middle = tf.tanh(tf.matmul(there, drawn(2, 5, 4)), name="middle")
        with tf1.device(gpu):
            back = tf.matmul(middle, drawn(3, 4, 5), name="back")
            loss = tf.reduce_mean(tf.square(back - there), name="loss")
        train = tf1.train.GradientDescentOptimizer(0.5).minimize(loss, colocate_gradients_with_ops=True)
        with tf.control_dependencies([train]):
            with tf1.device(cpu):
                total = tf.reduce_sum(middle, name="total")
        return [loss, back, total], {x: drawn(4, 7, 6)}

    with tf.Graph().as_default():
        fetches, feeds = build(gpu_of(GPU_TASK), f"/job:worker/task:{other}/cpu:0")
        with cluster.session(master) as session:
            actual, devices = steps(session, fetches, feeds)
    with tf.Graph().as_default():
        fetches, feeds = build(None, None)
        with tf1.Session() as session:
            expected, _ = steps(session, fetches, feeds)
    return {"actual": actual, "expected": expected, "devices": devices}


def with_a_task(cluster):
    return exchange(cluster, CPU_TASK, GPU_TASK)


def with_a_task_that_is_the_master(cluster):
    return exchange(cluster, CPU_TASK, CPU_TASK)


def with_tensorflows_server(cluster):
    return exchange(cluster, STOCK_TASK, GPU_TASK)


def mlp(cluster):
    """As in many a script: reference variables, a softmax and gradient descent."""

    def build():
        x = tf1.placeholder(tf.float32, [None, 20], name="x")
        y = tf1.placeholder(tf.int64, [None], name="y")
        w1 = tf1.Variable(drawn(5, 20, 16), name="w1", use_resource=False)
        b1 = tf1.Variable(np.zeros(16, np.float32), name="b1", use_resource=False)
        w2 = tf1.Variable(drawn(6, 16, 10), name="w2", use_resource=False)
        hidden = tf.nn.relu(tf.matmul(x, w1, name="hidden") + b1)
        logits = tf.matmul(hidden, w2, name="logits")
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
        train = tf1.train.GradientDescentOptimizer(0.3).minimize(loss)
        with tf.control_dependencies([train]):
            return [tf.identity(loss), tf.identity(w2)], {x: drawn(7, 32, 20), y: np.arange(32) % 10}

    return on_both(cluster, build)


def cnn(cluster):
    """The ops of a convolutional network and their gradients, and a table that is gathered from."""

    def build():
        images = tf1.placeholder(tf.float32, [None, 12, 12, 3], name="images")
        labels = tf1.placeholder(tf.float32, [None, 4], name="labels")
        ids = tf1.placeholder(tf.int32, [None], name="ids")
        values = {
            "filter1": drawn(8, 3, 3, 3, 8),
            "scale": 1 + drawn(9, 8),
            "offset": drawn(10, 8),
            "filter2": drawn(11, 3, 3, 8, 6),
            "table": drawn(12, 9, 24),
            "dense": drawn(13, 24, 4),
        }
        variables = {name: tf1.Variable(value, name=name, use_resource=True) for name, value in values.items()}
        convolved = tf.nn.conv2d(images, variables["filter1"], 1, "SAME", name="convolved")
        normal, mean, variance = tf1.nn.fused_batch_norm(
            convolved, variables["scale"], variables["offset"], name="normal"
        )
        # Zeros of the activation are ties in the pool's windows.
        pooled = tf.nn.max_pool2d(tf.nn.relu(normal), 2, 2, "VALID", name="pooled")
        again = tf.nn.conv2d(pooled, variables["filter2"], 1, "VALID", name="again")
        small = tf.nn.max_pool2d(tf.nn.elu(again), 2, 2, "VALID", name="small")
        rows = tf.gather(variables["table"] * 1.5, ids, name="rows")
        logits = tf.matmul(tf.reshape(small, [-1, 24]) * rows, variables["dense"], name="logits")
        softmax = tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="softmax")
        loss = tf.reduce_mean(softmax) + 0.01 * tf.reduce_max(tf.reduce_sum(tf.square(small), [1, 2]))
        gradients = tf1.gradients(loss, list(variables.values()))
        optimizer = tf1.train.GradientDescentOptimizer(0.1)
        train = optimizer.apply_gradients(zip(gradients, variables.values()))
        results = [loss, mean, variance, *map(tf.convert_to_tensor, gradients)]
        with tf.control_dependencies([train]):
            results = [tf.identity(result) for result in results]
        feeds = {
            images: drawn(14, 4, 12, 12, 3),
            labels: np.eye(4, dtype=np.float32),
            ids: np.int32([8, 0, 8, 3]),
        }
        return results, feeds

    return on_both(cluster, build)


def overlapping_pools(cluster):
    """Pools whose windows overlap."""

    def build():
        images = tf1.placeholder(tf.float32, [None, 9, 9, 3], name="images")
        kernel = tf1.Variable(drawn(17, 3, 3, 3, 4), name="kernel", use_resource=True)
        convolved = tf.nn.relu(tf.nn.conv2d(images, kernel, 1, "SAME", name="convolved"))
        largest = tf.nn.max_pool2d(convolved, 3, 2, "SAME", name="largest")
        average = tf.nn.avg_pool2d(convolved, 3, 2, "SAME", name="average")
        loss = tf.reduce_sum(tf.square(largest - 0.5 * average))
        train = tf1.train.GradientDescentOptimizer(0.01).minimize(loss)
        with tf.control_dependencies([train]):
            return [tf.identity(loss), kernel.read_value()], {images: drawn(18, 2, 9, 9, 3)}

    return on_both(cluster, build)


def places_of_maxima(cluster):
    """A pool with a second output, and what follows from it."""

    def build():
        images = tf1.placeholder(tf.float32, [None, 6, 6, 2], name="images")
        scale = tf1.Variable(drawn(19, 2), name="scale", use_resource=True)
        maxima, places = tf.nn.max_pool_with_argmax(images * scale, 2, 2, "VALID", name="maxima")
        loss = tf.reduce_mean(tf.square(maxima - 1), name="loss")
        train = tf1.train.GradientDescentOptimizer(0.5).minimize(loss)
        with tf.control_dependencies([train]):
            return [tf.identity(loss), tf.identity(places), scale.read_value()], {images: drawn(20, 2, 6, 6, 2)}

    return on_both(cluster, build)


def embedding(cluster, optimizer):
    """A table of embeddings of which a step uses some rows, one of them twice."""

    def build():
        ids = tf1.placeholder(tf.int32, [None], name="ids")
        table = tf1.Variable(drawn(15, 50, 8), name="table", use_resource=True)
        w = tf1.Variable(drawn(16, 8, 3), name="w", use_resource=True)
        rows = tf.nn.embedding_lookup(table, ids, name="rows")
        loss = tf.reduce_mean(tf.square(tf.matmul(rows, w, name="product") - 1), name="loss")
        train = optimizer().minimize(loss)
        with tf.control_dependencies([train]):
            return [tf.identity(loss), table.read_value()], {ids: np.int32([3, 49, 3, 0])}

    return on_both(cluster, build)


def embedding_by_descent(cluster):
    return embedding(cluster, lambda: tf1.train.GradientDescentOptimizer(0.5))


def embedding_by_adagrad(cluster):
    return embedding(cluster, lambda: tf1.train.AdagradOptimizer(0.5))


PROGRAMS = [
    with_a_task,
    with_a_task_that_is_the_master,
    with_tensorflows_server,
    mlp,
    cnn,
    overlapping_pools,
    places_of_maxima,
    embedding_by_descent,
    embedding_by_adagrad,
]


def result_of(program, cluster):
    try:
        return program(cluster)
    except Exception as error:  # pylint: disable=broad-except
        return {"error": str(error)[-3000:]}


def main():
    spec = tf.train.ClusterSpec(json.loads(sys.argv[1]))
    server = tf.distribute.Server(spec, job_name="worker", task_index=STOCK_TASK)
    cluster = Cluster(spec)
    print(json.dumps({program.__name__: result_of(program, cluster) for program in PROGRAMS}), flush=True)
    # A stock server cannot be shut down.
    del server
    os._exit(0)


main()
