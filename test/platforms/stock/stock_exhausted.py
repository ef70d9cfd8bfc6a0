"""A step that needs more memory than the worker has fails, and the worker goes on: `stock_exhausted.py TARGET MEBIBYTES`."""
import sys

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
mebibytes = int(sys.argv[2])
with tf.Session(sys.argv[1]) as session:
    size = tf.placeholder(tf.int32, [1])
    total = tf.reduce_sum(tf.fill(size, 1.0) * 2.0)
    try:
        session.run(total, {size: [mebibytes << 18]})
        raise AssertionError("It had the memory.")
    except tf.errors.ResourceExhaustedError as failure:
        print(failure.message.split("\n")[0])
    assert session.run(total, {size: [1000]}) == 2000.0
print("all checked", flush=True)
