"""What a TensorFlow client asks of a worker: `stock_client.py TARGET`. TensorFlow itself says what the values have to be."""
import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
target = sys.argv[1]
STEPS = 20


def computed(build):
    """What `build` gives in a session there, and in one of TensorFlow's own here."""
    results = []
    for address in (target, ""):
        with tf.Graph().as_default(), tf.Session(address) as session:
            tf.set_random_seed(1)
            results.append(build(session))
    return results


def check(name, build):
    there, here = computed(build)
    np.testing.assert_allclose(there, here, rtol=1e-4, atol=1e-6)
    print("checked:", name, flush=True)


def devices():
    with tf.Session(target) as session:
        found = [(device.name, device.device_type) for device in session.list_devices()]
    assert any(kind == "CPU" for _, kind in found), found
    print("checked: devices", found, flush=True)


def matrices(session):
    values = np.random.default_rng(1).normal(size=(2, 64, 64)).astype(np.float32)
    left, right = (tf.placeholder(tf.float32, [64, 64]) for _ in range(2))
    return session.run(tf.nn.relu(left @ right), {left: values[0], right: values[1]})


def variables(session):
    counter = tf.Variable(3.0)
    table = tf.Variable(tf.zeros([4, 2]))
    session.run(tf.global_variables_initializer())
    session.run(tf.assign_add(counter, 4.0))
    session.run(tf.scatter_update(table, [1, 3], [[1.0, 2.0], [3.0, 4.0]]))
    return np.append(session.run(table), session.run(counter))


def training(session):
    random = np.random.default_rng(2)
    inputs = random.normal(size=(32, 8)).astype(np.float32)
    labels = (inputs[:, :3].sum(axis=1) > 0).astype(np.int64)
    first, second = (random.normal(size=shape).astype(np.float32) for shape in ((8, 16), (16, 2)))
    hidden = tf.nn.relu(tf.matmul(tf.constant(inputs), tf.Variable(first)) + tf.Variable(tf.zeros([16])))
    logits = tf.matmul(hidden, tf.Variable(second)) + tf.Variable(tf.zeros([2]))
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    step = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
    session.run(tf.global_variables_initializer())
    losses = [session.run([loss, step])[0] for _ in range(STEPS)]
    assert losses[-1] < losses[0] / 2, losses
    return losses


def error():
    with tf.Graph().as_default(), tf.Session(target) as session:
        shape = tf.placeholder(tf.int32, [1])
        try:
            session.run(tf.reshape(tf.range(6), shape), {shape: [4]})
        except tf.errors.InvalidArgumentError as failure:
            print("checked: an error:", failure.message.split("\n")[0], flush=True)
            return
    raise AssertionError("Six elements became four.")


devices()
check("matrices", matrices)
check("variables", variables)
check("training", training)
error()
print("all checked", flush=True)
