"""`in-graph.py clusterspec.json [steps]`: in-graph replication, a replica of the model on each worker."""
import json
import sys

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

cluster = tf.train.ClusterSpec(json.load(open(sys.argv[1])))
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 200
# Points of y = 2 a - b + 0.5: for each worker its own.
POINTS = [[[0, 0], [1, 0], [0, 1], [1, 1]], [[2, 0], [0, 2], [2, 1], [1, 2]]]

with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:0", cluster=cluster)):
    w = tf.Variable([[0.0], [0.0]], name="w")
    b = tf.Variable([0.0], name="b")
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    losses, replicas = [], []
    for index, points in enumerate(POINTS):
        with tf.device("/job:worker/task:%d" % index):
            x = tf.constant(points, tf.float32)
            y = tf.constant([[2 * first - second + 0.5] for first, second in points])
            losses.append(tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y)))
            replicas.append(optimizer.compute_gradients(losses[-1]))
    loss = tf.add_n(losses) / len(losses)
    means = [(tf.add_n([gradient for gradient, _ in both]) / len(both), both[0][1]) for both in zip(*replicas)]
    train = optimizer.apply_gradients(means)

with tf.Session("grpc://" + cluster.task_address("worker", 0)) as session:
    session.run(tf.global_variables_initializer())
    for step in range(1, steps + 1):
        session.run(train)
        if step in (1, 10, 100, steps):
            print("after %d steps: loss %.4f" % (step, session.run(loss)))
