"""`location.py clusterspec.json`: which task runs a variable, and which receives its value, from the traces of steps."""
import json
import sys

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

cluster = tf.train.ClusterSpec(json.load(open(sys.argv[1])))
with tf.device("/job:worker/task:0"):
    var = tf.Variable(0.0, name="var")
    one = tf.constant(1.0, name="one")
with tf.device("/job:worker/task:1"):
    var2 = tf.Variable(0.0, name="var2")
var_add = tf.assign_add(var, one, name="var_add")
sessions = [tf.Session("grpc://" + cluster.task_address("worker", index)) for index in range(2)]
sessions[0].run(tf.global_variables_initializer())


def trace(index, name):
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    ran, received, devices = set(), set(), []
    # Stock servers do not record transfers that end before the request to record them has come: some step has them.
    for _ in range(5):
        metadata = tf.RunMetadata()
        sessions[index].run(name + ":0", options=options, run_metadata=metadata)
        devices += metadata.step_stats.dev_stats
    for dev in devices:
        task = dev.device.split("/task:")[1].split("/")[0]
        for node in dev.node_stats:
            if node.node_name == name:
                ran.add(task)
            if node.node_name.startswith("RecvTensor"):
                received.add(task)
    end = ", received by task " + " and ".join(sorted(received)) if received else ""
    print("session %d asks for %s: ran on task %s%s" % (index, name, " and ".join(sorted(ran)), end))


for index, name in [(0, "var"), (1, "var"), (0, "var2"), (1, "var2"), (0, "var_add")]:
    trace(index, name)
