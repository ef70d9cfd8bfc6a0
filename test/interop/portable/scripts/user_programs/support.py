"""What the programs share: the cluster, drawn numbers, and results that go through JSON."""
import json
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
PROGRAMS = {}


class Cluster:
    def __init__(self, text, folder):
        self.spec = tf.train.ClusterSpec(json.loads(text))
        self.folder = folder

    def target(self, index=0, job="worker"):
        return "grpc://" + self.spec.task_address(job, index)

    def path(self, *names):
        return os.path.join(self.folder, *names)


def program(function):
    """Registers a program, which gets a graph of its own."""

    def run(cluster):
        with tf.Graph().as_default():
            tf1.set_random_seed(1)
            return plain(function(cluster))

    PROGRAMS[function.__name__] = run
    return function


def eager_program(function):
    """Registers a program that begins outside of graphs."""
    PROGRAMS[function.__name__] = lambda cluster: plain(function(cluster))
    return function


def plain(value):
    """A result as JSON has it."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, bytes):
        return value.decode("latin1")
    if isinstance(value, np.ndarray):
        return {"dtype": str(value.dtype), "shape": list(value.shape), "values": [plain(v) for v in value.ravel().tolist()]}
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, complex):
        return [value.real, value.imag]
    if isinstance(value, (tf1.SparseTensorValue, tf.RaggedTensor, tf1.ragged.RaggedTensorValue)) or hasattr(value, "_asdict"):
        return {name: plain(getattr(value, name)) for name in value._fields} if hasattr(value, "_fields") else plain(value.to_list())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def error_of(function):
    try:
        function()
    except tf.errors.OpError as error:
        return type(error).__name__
    return "no error"


def drawn(seed, *shape):
    return np.random.RandomState(seed).uniform(-0.5, 0.5, shape).astype(np.float32)


def session_on(cluster, **options):
    return tf1.Session(cluster.target(), **options)


def initialized(cluster, **options):
    session = session_on(cluster, **options)
    session.run([tf1.global_variables_initializer(), tf1.local_variables_initializer(), tf1.tables_initializer()])
    return session


def evaluated(cluster, fetches, feeds=None):
    with initialized(cluster) as session:
        return session.run(fetches, feeds)


def losses(session, loss, step, feeds=None, steps=6):
    return [float(session.run([loss, step], feeds)[0]) for _ in range(steps)]
