"""A checkpoint that the worker's disk has no room for: `stock_full_disk.py TARGET FOLDER`, a folder there with a disk of 1 MiB."""
import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
target, prefix = sys.argv[1], sys.argv[2] + "/model.ckpt"
SMALL, LARGE = 1000, 1 << 20
ENTRY = dict(prefix=prefix, tensor_names=["v"], shape_and_slices=[""])

with tf.Session(target) as session:
    size = tf.placeholder(tf.int32, [])
    value = tf.placeholder(tf.float32, [])
    save = tf.raw_ops.SaveV2(tensors=[tf.fill([size], value)], **ENTRY)
    restored = tf.raw_ops.RestoreV2(dtypes=[tf.float32], **ENTRY)[0]
    session.run(save, {size: SMALL, value: 1.0})
    for _ in range(2):
        try:
            session.run(save, {size: LARGE, value: 2.0})
            raise AssertionError("It had the space.")
        except tf.errors.ResourceExhaustedError as failure:
            print([line for line in failure.message.split("\n") if "No space left on device" in line][0])
        np.testing.assert_array_equal(session.run(restored), np.ones(SMALL, np.float32))
    # The attempts have left nothing that would fill the disk.
    session.run(save, {size: 100 * SMALL, value: 3.0})
    np.testing.assert_array_equal(session.run(restored), np.full(100 * SMALL, 3.0, np.float32))
print("all checked", flush=True)
