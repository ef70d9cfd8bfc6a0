"""Two sessions on two servers of one cluster share a variable by its name: `s4_sharing.py TARGET0 TARGET1`.

The first releases placed what is not pinned on the first task of the cluster; TensorFlow 2.21 places it on the task
that the session is with (seen on its own servers). So that both sessions mean one variable, its device is written out.
"""
import sys

import tensorflow as tf

tf.compat.v1.disable_v2_behavior()


def ran(sess, fetch):
    metadata = tf.compat.v1.RunMetadata()
    options = tf.compat.v1.RunOptions(trace_level=tf.compat.v1.RunOptions.FULL_TRACE)
    sess.run(fetch, options=options, run_metadata=metadata)
    return {
        (dev.device.split("/task:")[1][0], node.node_name)
        for dev in metadata.step_stats.dev_stats
        for node in dev.node_stats
    }


with tf.compat.v1.device("/job:local/task:0"):
    var = tf.compat.v1.Variable(0.0, name="var", use_resource=False)
with tf.compat.v1.device("/job:local/task:1"):
    var2 = tf.compat.v1.Variable(0.0, name="var2", use_resource=False)
add = var.assign_add(1.0)

first = tf.compat.v1.Session(sys.argv[1])
second = tf.compat.v1.Session(sys.argv[2])
first.run(tf.compat.v1.global_variables_initializer())
second.run(tf.compat.v1.global_variables_initializer())
first.run(add)
print("both read", first.run(var), second.run(var))

seen = ran(second, var)
print("var from second:", sorted({task for task, name in seen if name == "var"}),
      "received by", sorted({task for task, name in seen if name.startswith("RecvTensor")}))
seen = ran(first, var2)
print("var2 from first:", sorted({task for task, name in seen if name == "var2"}),
      "received by", sorted({task for task, name in seen if name.startswith("RecvTensor")}))
