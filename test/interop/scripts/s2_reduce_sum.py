"""In-graph sum over the workers: `s2_reduce_sum.py TARGET PS_HOSTS WORKER_HOSTS` prints 1000."""
import sys

import numpy as np
import tensorflow as tf

tf.compat.v1.disable_v2_behavior()

target, ps_hosts, worker_hosts = sys.argv[1:4]
cluster = tf.train.ClusterSpec({"ps": ps_hosts.split(","), "worker": worker_hosts.split(",")})
workers = cluster.num_tasks("worker")

with tf.compat.v1.device(tf.compat.v1.train.replica_device_setter(cluster=cluster)):
    values = tf.compat.v1.placeholder(tf.int32, [None], name="values")
    total = tf.compat.v1.Variable(0, name="total")
    portions = tf.split(values, workers)
sums = []
for i in range(workers):
    with tf.compat.v1.device("/job:worker/task:%d" % i):
        portion = tf.compat.v1.Print(portions[i], [tf.size(portions[i])], "portion is ")
        sums.append(tf.reduce_sum(portion))
result = total.assign_add(tf.reduce_sum(tf.stack(sums)))

config = tf.compat.v1.ConfigProto(allow_soft_placement=True, log_device_placement=True)
with tf.compat.v1.Session(target, config=config) as sess:
    sess.run(tf.compat.v1.global_variables_initializer())
    metadata = tf.compat.v1.RunMetadata()
    options = tf.compat.v1.RunOptions(trace_level=tf.compat.v1.RunOptions.FULL_TRACE)
    print("sum =", sess.run(result, {values: np.ones(1000)}, options=options, run_metadata=metadata))
    print("variable on", total.device)
    print("devices", sorted({dev.device for dev in metadata.step_stats.dev_stats}))
