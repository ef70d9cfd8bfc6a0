"""x and y on one task, z on another: what `s1_two_tasks.py TARGET` prints is 11.0."""
import sys

import tensorflow as tf

tf.compat.v1.disable_v2_behavior()

with tf.compat.v1.device("/job:worker/task:0"):
    a = tf.constant(3.0, name="a")
    b = tf.constant(2.0, name="b")
    x = tf.add(a, b, name="x")
    y = tf.multiply(a, b, name="y")
with tf.compat.v1.device("/job:worker/task:1"):
    z = tf.add(x, y, name="z")

config = tf.compat.v1.ConfigProto(log_device_placement=True)
# A master that optimizes computes x and y beforehand, as they come from constants; here they are to run where they are pinned.
config.graph_options.optimizer_options.opt_level = tf.compat.v1.OptimizerOptions.L0
config.graph_options.rewrite_options.disable_meta_optimizer = True
with tf.compat.v1.Session(sys.argv[1], config=config) as sess:
    metadata = tf.compat.v1.RunMetadata()
    options = tf.compat.v1.RunOptions(trace_level=tf.compat.v1.RunOptions.FULL_TRACE)
    print("z =", sess.run(z, options=options, run_metadata=metadata))
    for dev in metadata.step_stats.dev_stats:
        for node in dev.node_stats:
            if node.node_name.split(":")[0] in ("x", "y", "z"):
                print("ran", node.node_name.split(":")[0], dev.device)
