"""What the networks share."""

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1

# By name: each makes a network on the current device and returns its loss, the operation of a step, and its feeds.
networks = {}


def network(build):
    """Registers a network."""
    networks[build.__name__] = build
    return build


class Maker:
    """Makes weights, and batches of a random generator of its own, of one dtype."""

    def __init__(self, dtype=tf.float32, is_reference=False):
        self.random = np.random.RandomState(1)
        self.dtype = dtype
        self.is_reference = is_reference

    def weight(self, *shape, scale=None):
        scale = scale or (1 / np.prod(shape[:-1])) ** 0.5
        return self.variable(self.random.normal(size=shape) * scale)

    def variable(self, value, trainable=True):
        return tf1.Variable(value.astype(self.dtype.as_numpy_dtype), use_resource=not self.is_reference, trainable=trainable)

    def zeros(self, *shape):
        return self.variable(np.zeros(shape))

    def ones(self, *shape):
        return self.variable(np.ones(shape))

    def feed(self, *shape):
        """A placeholder of numbers from 0 to 1, and its value."""
        return tf1.placeholder(self.dtype, shape), self.random.uniform(0, 1, shape).astype(self.dtype.as_numpy_dtype)

    def classes(self, count, *shape):
        """A placeholder of integers below `count`, and its value."""
        return tf1.placeholder(tf.int64, shape), self.random.randint(0, count, shape)

    def dense(self, x, inputs, outputs):
        return tf1.nn.bias_add(tf.matmul(x, self.weight(inputs, outputs)), self.zeros(outputs))

    def dense3(self, x, inputs, outputs):
        """A dense layer of each step of sequences."""
        shape = tf.shape(x)
        y = tf.matmul(tf.reshape(x, [-1, inputs]), self.weight(inputs, outputs))
        return tf.reshape(y, [shape[0], shape[1], outputs]) + self.zeros(outputs)


def cross_entropy(labels, logits):
    return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
