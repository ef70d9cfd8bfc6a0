"""A GPU PC computes for a Raspberry Pi: `gpu-pc.py clusterspec.json`, on the Pi.

a = 3, b = 2, x = a + b, y = a * b, z = x + y, first in this process, then on the machines of the clusterspec.json, where
generic-worker.py or generic-worker.ts was started for each task.
"""
import json
import sys

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

cluster = tf.train.ClusterSpec(json.load(open(sys.argv[1])))


def sums(parts=None, total=None):
    with tf.device(parts):
        a = tf.constant(3.0, name="a")
        b = tf.constant(2.0, name="b")
        x = tf.add(a, b, name="x")
        y = tf.multiply(a, b, name="y")
    with tf.device(total or parts):
        return tf.add(x, y, name="z")


with tf.Graph().as_default():
    z = sums()
    with tf.Session() as session:
        print("here:", session.run(z))


def compute(what, parts, total=None):
    # A master that optimizes would compute all beforehand, as it comes from constants. Where there is no GPU, a CPU will do.
    config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=True)
    config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    metadata = tf.RunMetadata()
    with tf.Graph().as_default():
        z = sums(parts, total)
        with tf.Session("grpc://" + cluster.task_address("worker", 0), config=config) as session:
            print("%s:" % what, session.run(z, options=options, run_metadata=metadata))
    ran = {node.node_name.split(":")[0]: dev.device for dev in metadata.step_stats.dev_stats for node in dev.node_stats}
    for name in "xyz":
        print(name, "ran on", ran[name])


compute("on one machine", "/job:worker/task:0")
compute("on its GPU, if it has one", "/job:worker/task:0/device:GPU:0")
if cluster.num_tasks("worker") > 1:
    compute("on two machines", "/job:worker/task:0", "/job:worker/task:1")
