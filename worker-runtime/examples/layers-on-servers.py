"""`layers-on-servers.py clusterspec.json [steps]`: model parallelism, each layer's variables on a parameter server."""
import json
import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

cluster = tf.train.ClusterSpec(json.load(open(sys.argv[1])))
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 10000


def starting_weights(inputs, units):
    values = 0.5 * np.abs(np.sin(1.0 + np.arange(inputs * units)))
    return values.reshape(inputs, units).astype(np.float32)


with tf.device("/job:ps/task:0"):
    w1 = tf.Variable(starting_weights(2, 8), name="w1")
    b1 = tf.Variable(tf.zeros([8]), name="b1")
with tf.device("/job:ps/task:1"):
    w2 = tf.Variable(starting_weights(8, 1), name="w2")
    b2 = tf.Variable(tf.zeros([1]), name="b2")
with tf.device("/job:worker/task:0"):
    x = tf.constant([[0, 0], [0, 1], [1, 0], [1, 1]], tf.float32)
    y = tf.constant([[0], [1], [1], [0]], tf.float32)
    layer_1 = tf.nn.relu(tf.matmul(x, w1) + b1)
    layer_2 = tf.nn.relu(tf.matmul(layer_1, w2) + b2)
    loss = tf.reduce_mean(tf.square(layer_2 - y))
    train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)

with tf.Session("grpc://" + cluster.task_address("worker", 0)) as session:
    session.run(tf.global_variables_initializer())
    for step in range(1, steps + 1):
        session.run(train)
        if step in (1, 10, 100, 1000, 10000, steps):
            print("after %d steps: loss %.4f" % (step, session.run(loss)))
