"""Runs loops that double a tensor, first a few times and then until there is no memory for it.

usage: doubling_loop.py TARGET

Prints "exhausted" for each loop that was refused, and "answers" if the task then still does what it did before.
"""

import sys

import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_eager_execution()

MIB = 2**18

times = tf1.placeholder(tf.int32, [])


def loop(double):
    _, last = tf.while_loop(
        lambda i, _: i < times,
        lambda i, x: (i + 1, double(x)),
        [0, tf.fill([4 * MIB], tf1.placeholder_with_default(1.0, []))],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
    )
    return tf.reduce_sum(last[-1:])


loops = [
    loop(lambda x: tf.reshape(tf.stack([x, 2 * x]), [-1])),
    loop(lambda x: tf.concat([x, x + x], 0)),
]
with tf1.Session(sys.argv[1]) as session:
    for last in loops:
        for _ in range(3):
            # Enough runs for the engine to make a session of the loop's body.
            for _ in range(4):
                assert session.run(last, {times: 3}) == 8
            try:
                session.run(last, {times: 60})
            except tf.errors.ResourceExhaustedError:
                print("exhausted")
            assert session.run(last, {times: 3}) == 8
print("answers")
