"""ParameterServerStrategy: the coordinator (chief) trains with one worker, and the variables are on the ps."""

import os

import numpy as np
import tensorflow as tf

resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
if resolver.task_type in ("worker", "ps"):
    server = tf.distribute.Server(
        resolver.cluster_spec(), job_name=resolver.task_type, task_index=resolver.task_id, protocol="grpc"
    )
    print("serving in", os.getpid())
    server.join()

strategy = tf.distribute.ParameterServerStrategy(resolver)
coordinator = tf.distribute.coordinator.ClusterCoordinator(strategy)
with strategy.scope():
    weights = tf.Variable(tf.zeros([4]))
print("variable on", weights.device)


@tf.function
def step():
    target = tf.constant(np.arange(4, dtype=np.float32))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum((weights - target) ** 2)
    weights.assign_sub(0.25 * tape.gradient(loss, weights))
    return loss


for _ in range(10):
    value = coordinator.schedule(step)
    coordinator.join()
print("loss", float(value.fetch()), "weights", [round(float(weight), 3) for weight in weights.numpy()])
