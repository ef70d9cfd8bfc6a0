"""MultiWorkerMirroredStrategy: logistic regression on data of a fixed seed, the same batches on every worker."""

import json
import os
import sys

import numpy as np
import tensorflow as tf

is_second = json.loads(os.environ["TF_CONFIG"])["task"]["index"] == 1
fail_at = int(sys.argv[2]) if is_second and sys.argv[1:2] == ["--fail-at"] else None

strategy = tf.distribute.MultiWorkerMirroredStrategy()
draw = np.random.default_rng(7)
images = draw.normal(size=(64, 8)).astype(np.float32)
labels = (images @ np.arange(8, dtype=np.float32) > 0).astype(np.float32)[:, None]

with strategy.scope():
    weights = tf.Variable(tf.zeros([8, 1]))


@tf.function
def step(batch_images, batch_labels):
    def one():
        with tf.GradientTape() as tape:
            losses = tf.nn.sigmoid_cross_entropy_with_logits(batch_labels, batch_images @ weights)
            loss = tf.reduce_mean(losses)
        gradient = tape.gradient(loss, weights)
        mean = tf.distribute.get_replica_context().all_reduce(tf.distribute.ReduceOp.MEAN, gradient)
        weights.assign_sub(0.5 * mean)
        return loss

    return strategy.reduce(tf.distribute.ReduceOp.MEAN, strategy.run(one), axis=None)


once = "failed-once"
for number in range(20):
    if number == fail_at and not os.path.exists(once):
        open(once, "w").close()
        raise RuntimeError(f"the worker gives up at step {number}")
    loss = step(images, labels)
print(f"replicas {strategy.num_replicas_in_sync} loss {float(loss):.6f}")
