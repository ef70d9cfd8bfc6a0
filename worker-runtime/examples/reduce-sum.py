"""`reduce-sum.py clusterspec.json`: 1,000 ones are added up on two workers and kept on a parameter server."""
import json
import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

cluster = tf.train.ClusterSpec(json.load(open(sys.argv[1])))
setter = tf.train.replica_device_setter(worker_device="/job:worker/task:0", cluster=cluster)
with tf.device(setter):
    values = tf.placeholder(tf.int32, [None], name="input")
    total = tf.Variable(0, name="total")
    parts = tf.split(values, 2)
    sums = []
    for index, part in enumerate(parts):
        with tf.device("/job:worker/task:%d" % index):
            portion = tf.Print(part, [tf.size(part)], "portion is ", name="portion_%d" % index)
            sums.append(tf.reduce_sum(portion, name="sum_%d" % index))
    keep = tf.assign(total, tf.reduce_sum(tf.stack(sums)))

config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=True)
options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
metadata = tf.RunMetadata()
with tf.Session("grpc://" + cluster.task_address("worker", 0), config=config) as session:
    session.run(tf.global_variables_initializer())
    print("sum:", session.run(keep, {values: np.ones(1000)}, options=options, run_metadata=metadata))
print("total is on", total.device)
ran = {node.node_name: dev.device for dev in metadata.step_stats.dev_stats for node in dev.node_stats}
for name in ("portion_0", "portion_1"):
    print(name, "ran on", ran[name])
