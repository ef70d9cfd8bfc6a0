"""The programs of graph-builder.test.ts as tf.compat.v1 builds them, and the op list; printed as JSON."""
import base64
import json
import sys

import tensorflow.compat.v1 as tf
from tensorflow.python.client import pywrap_tf_session
from tensorflow.python.ops import gen_training_ops

tf.disable_eager_execution()
tf.disable_control_flow_v2()

CLUSTER = {"ps": ["ps0:2222", "ps1:2222"], "worker": ["w0:2222", "w1:2222"]}


def s1():
    a = tf.constant(3.0, name="a")
    b = tf.constant(2.0, name="b")
    with tf.device("/job:worker/task:0"):
        x = tf.add(a, b, name="x")
        y = tf.multiply(a, b, name="y")
    with tf.device("/job:worker/task:1"):
        tf.add(x, y, name="z")


def s2():
    setter = tf.train.replica_device_setter(cluster=tf.train.ClusterSpec(CLUSTER))
    with tf.device("/job:ps/task:1"):
        tf.Variable([1.0, 2.0], name="pinned", use_resource=False)
    with tf.device(setter):
        column = tf.placeholder(tf.int32, [None], name="input")
        tf.Variable(0, dtype=tf.int32, name="first", use_resource=False)
        tf.Variable(tf.zeros([2]), name="second", use_resource=False)
        parts = tf.split(column, 2, name="split")
        sums = []
        for i, part in enumerate(parts):
            with tf.device("/job:worker/task:%d" % i):
                printed = tf.Print(part, [part], "portion is ")
                sums.append(tf.reduce_sum(printed))
        tf.reduce_sum(tf.stack(sums), name="total")
    with tf.device("/cpu:0"):
        with tf.device(None):
            tf.constant("free")
        with tf.device("/job:worker"):
            tf.constant("both")
    tf.global_variables_initializer()


def s3():
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    with tf.device("/job:ps/task:0"):
        w1 = tf.Variable(tf.random_normal([4, 8], seed=1), name="w1", use_resource=False)
        b1 = tf.Variable(tf.zeros([8]), name="b1", use_resource=False)
    with tf.device("/job:ps/task:1"):
        w2 = tf.Variable(tf.truncated_normal([8, 2], stddev=0.1), name="w2", use_resource=False)
        b2 = tf.Variable(tf.zeros([2]), name="b2", use_resource=False)
    with tf.device("/job:worker/task:0"), tf.name_scope("model"):
        layer1 = tf.nn.relu(tf.add(tf.matmul(x, w1), b1))
        with tf.name_scope("top"):
            logits = tf.nn.relu(tf.add(tf.matmul(layer1, w2), b2))
        tf.nn.softmax(logits, name="probabilities")
        tf.argmax(logits, 1)
    tf.global_variables_initializer()


def s4():
    var = tf.Variable(0.0, name="var", use_resource=False)
    tf.assign_add(var, 1.0)
    tf.assign(var, 2.0)
    tf.assign_sub(var, var, name="down")
    with tf.device("/job:local/task:1"):
        var2 = tf.Variable([[1.0, 2.0]], name="var2", use_resource=True)
        var2.assign_add([[1.0, 1.0]])
        var2.assign([[2.0, 2.0]])
    gen_training_ops.apply_gradient_descent(var._ref(), 0.1, var)
    tf.global_variables_initializer()


def names():
    with tf.name_scope("scope"):
        tf.constant(1.0)
        tf.constant(1.0)
        tf.constant(1.0, name="Const_2")
        tf.constant(1.0, name="const")
    with tf.name_scope("scope") as again:
        tf.constant(1.0, name="a")
        with tf.name_scope(None):
            tf.constant(1.0, name="a")
    with tf.name_scope(again):
        tf.constant(1.0, name="a")
    tf.constant(1.0, name="Scope")


def control():
    a = tf.constant(1.0, name="b_first")
    b = tf.constant(2.0, name="a_second")
    with tf.control_dependencies([a, b]):
        c = tf.constant(3.0, name="c")
        tf.add(a, c, name="dominated")
        tf.add(a, a, name="partly")
        with tf.control_dependencies([c]):
            tf.no_op("nested")
            with tf.control_dependencies(None):
                tf.no_op("free")
    with tf.device("/job:worker/task:1"):
        d = tf.no_op("elsewhere")
    tf.group(a, d)
    with tf.get_default_graph().colocate_with(d):
        tf.constant(1.0, name="colocated")


def arrays():
    p = tf.placeholder(tf.int32, [None], name="p")
    q = tf.placeholder(tf.float32, name="q")
    half = tf.floordiv(tf.size(p), 2)
    halves = tf.split(p, tf.stack([half, tf.subtract(tf.size(p), half)]), 0, num=2)
    tf.reduce_sum(halves[0])
    tf.reduce_sum(q)
    tf.reduce_mean(q, 1)
    tf.reduce_max(p, axis=[0], keepdims=True)
    tf.concat(halves, 0)
    tf.reshape(p, [2, -1])
    tf.cast(p, tf.float32)
    tf.identity(p)
    tf.square(q)
    tf.argmax(q, 1)
    tf.equal(p, p)
    tf.expand_dims(p, 0)
    tf.transpose(tf.zeros([2, 3]))
    tf.unstack(tf.ones([2, 3]))
    tf.shape(p)
    tf.zeros([2000])
    tf.divide(q, 2.0)
    tf.negative(q)
    tf.constant([True, False])
    tf.constant([[5, 6]], tf.int64)
    tf.constant([1.0, 2.0], tf.float16)
    tf.constant(1.5, tf.bfloat16)
    tf.constant(["a", "b\xff"])
    tf.constant(1 + 2j, tf.complex64)
    tf.constant([1, 2], tf.uint8)
    tf.constant([7], tf.uint32)
    tf.fill([2, 2], 1.0)
    tf.nn.bias_add(tf.zeros([2, 3]), [1.0, 2.0, 3.0])


def random():
    tf.random_normal([2, 3])
    tf.random_uniform([2], 0, 10, seed=3)
    tf.random_uniform([2], -1, 1)
    tf.truncated_normal([2], stddev=0.1)
    tf.random_uniform([2], maxval=5, dtype=tf.int32)


def queues():
    q = tf.FIFOQueue(10, [tf.float32, tf.int32], shapes=[[], [2]], name="q")
    q.enqueue([1.0, [1, 2]])
    q.dequeue()
    q.enqueue_many([[1.0], [[1, 2]]])
    q.dequeue_many(3)
    q.size()
    q.close()
    tf.FIFOQueue(3, tf.string, shared_name="shared").enqueue("a")
    tf.print("hello", tf.constant([1, 2]))


def loop():
    tf.while_loop(lambda i: tf.less(i, 10), lambda i: tf.add(i, 1), [tf.constant(0)])


def main():
    out = {"version": tf.__version__, "programs": {}}
    for program in (s1, s2, s3, s4, names, control, arrays, random, queues, loop):
        with tf.Graph().as_default() as graph:
            program()
            meta = tf.train.export_meta_graph(graph=graph)
        out["programs"][program.__name__] = base64.b64encode(meta.SerializeToString()).decode()
    ops = pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList())
    out["ops"] = base64.b64encode(ops).decode()
    json.dump(out, sys.stdout)


main()
