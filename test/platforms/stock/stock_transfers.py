"""Tensors of several types and sizes go from task 0 to task 1 and back: `stock_transfers.py TARGET`."""
import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
values = [
    np.random.default_rng(1).normal(size=(512, 512)).astype(np.float32),
    np.arange(10, dtype=np.int64) << 40,
    np.array([True, False, True]),
    np.array(["Größe", "a b", ""], dtype=object),
    np.array([1 + 2j, -3j], dtype=np.complex64),
    np.zeros([0, 3], dtype=np.float64),
    np.float16(1.5),
]
with tf.Session(sys.argv[1]) as session:
    sent, returned = [], []
    for value in values:
        with tf.device("/job:worker/task:0"):
            source = tf.identity(tf.constant(value))
        with tf.device("/job:worker/task:1"):
            there = tf.identity(tf.reverse(source, [0]) if value.ndim > 0 else source)
        with tf.device("/job:worker/task:0"):
            back = tf.identity(tf.reverse(there, [0]) if value.ndim > 0 else there)
        sent.append(there)
        returned.append(back)
    theirs, ours = session.run([sent, returned])
    for value, there, back in zip(values, theirs, ours):
        value = np.asarray(value)
        expected = np.char.encode(value.astype(str), "utf-8").astype(object) if value.dtype == object else value
        np.testing.assert_array_equal(back, expected)
        np.testing.assert_array_equal(there, expected[::-1] if value.ndim > 0 else expected)
    with tf.device("/job:worker/task:1"):
        counter = tf.Variable(1.0)
    with tf.device("/job:worker/task:0"):
        step = tf.assign_add(counter, tf.constant(2.0) * 2.0)
    session.run(counter.initializer)
    session.run(step)
    assert session.run(counter) == 5.0
print("all checked", flush=True)
