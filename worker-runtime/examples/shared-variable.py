"""`shared-variable.py clusterspec.json`: local sessions have variables of their own, sessions of one cluster share them."""
import json
import sys

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def in_each(sessions, variable):
    return " and ".join(str(session.run(variable)) for session in sessions)


with tf.Graph().as_default():
    var = tf.Variable(0.0, name="var")
    sessions = [tf.Session(), tf.Session()]
    for session in sessions:
        session.run(tf.global_variables_initializer())
    sessions[0].run(var.assign_add(1.0))
    print("local sessions:", in_each(sessions, var))

cluster = tf.train.ClusterSpec(json.load(open(sys.argv[1])))
# TensorFlow's first releases placed what is not pinned on the cluster's first task; today's do on the session's own. That
# both sessions mean the same variable, its device is written out.
with tf.device("/job:worker/task:0"):
    var = tf.Variable(0.0, name="var")
sessions = [tf.Session("grpc://" + cluster.task_address("worker", index)) for index in range(2)]
# Each may run the initializer; the last one wins.
for session in sessions:
    session.run(tf.global_variables_initializer())
sessions[0].run(var.assign_add(1.0))
print("sessions of one cluster:", in_each(sessions, var))
