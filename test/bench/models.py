"""The networks of the portable engine's benchmarks, as graphs of TensorFlow 1.

Each function builds a network on the current device (its variables may be elsewhere) and returns what a step fetches, its
feeds and what initializes the variables.
"""
import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1

MLP_BATCH = 100
CNN_BATCH = 32
MOBILE_NET_BATCH = 8
LEARNING_RATE = 0.01
# Expansion, output channels, repetitions and first stride of MobileNetV2's blocks (its paper, table 2).
MOBILE_NET_BLOCKS = [
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
]


def variable(name, shape, deviation=0.05):
    initial = tf1.random_normal_initializer(stddev=deviation, seed=1)
    return tf1.get_variable(name, shape=shape, initializer=initial, use_resource=True)


def dense(x, inputs, outputs, name):
    return tf1.nn.bias_add(tf.matmul(x, variable(name + "/w", [inputs, outputs])), variable(name + "/b", [outputs], 0.0))


def loss_and_feeds(x, logits, classes_of, seed):
    """The loss of a batch that is always the same."""
    random = np.random.RandomState(seed)
    batch = x.shape.as_list()
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes_of, logits=logits))
    feeds = {x: random.uniform(0, 1, batch).astype(np.float32), classes_of: random.randint(0, 10, batch[0])}
    return loss, feeds


def optimizer():
    return tf1.train.GradientDescentOptimizer(LEARNING_RATE)


def training(loss, feeds):
    """One step of gradient descent."""
    return [loss, optimizer().minimize(loss)], feeds, tf1.global_variables_initializer()


def mlp():
    return training(*mlp_loss())


def cnn():
    return training(*cnn_loss())


def mlp_loss(seed=1):
    """784-256-10, as for handwritten digits."""
    x, classes = tf1.placeholder(tf.float32, [MLP_BATCH, 784]), tf1.placeholder(tf.int64, [MLP_BATCH])
    hidden = tf.nn.relu(dense(x, 784, 256, "hidden"))
    return loss_and_feeds(x, dense(hidden, 256, 10, "top"), classes, seed)


def cnn_loss(seed=1):
    """Two convolutions with pooling and a dense layer, for pictures of 28 x 28."""
    x, classes = tf1.placeholder(tf.float32, [CNN_BATCH, 28, 28, 1]), tf1.placeholder(tf.int64, [CNN_BATCH])
    y = x
    for index, (inputs, outputs) in enumerate([(1, 16), (16, 32)]):
        y = tf.nn.conv2d(y, variable("filters_%d" % index, [3, 3, inputs, outputs]), 1, "SAME")
        y = tf.nn.relu(tf1.nn.bias_add(y, variable("bias_%d" % index, [outputs], 0.0)))
        y = tf.nn.max_pool2d(y, 2, 2, "SAME")
    return loss_and_feeds(x, dense(tf.reshape(y, [CNN_BATCH, 7 * 7 * 32]), 7 * 7 * 32, 10, "top"), classes, seed)


def normalized(x, channels, name):
    ones = tf1.get_variable(name + "/scale", initializer=tf.ones([channels]), use_resource=True)
    zeros = tf1.get_variable(name + "/offset", initializer=tf.zeros([channels]), use_resource=True)
    return tf1.nn.fused_batch_norm(x, ones, zeros, zeros, ones, epsilon=1e-3, is_training=False)[0]


def convolution(x, inputs, outputs, size, stride, name):
    filters = variable(name + "/filters", [size, size, inputs, outputs], (2 / (size * size * inputs)) ** 0.5)
    return normalized(tf.nn.conv2d(x, filters, stride, "SAME"), outputs, name)


def block(x, inputs, outputs, expansion, stride, name):
    """An inverted residual: wider, a convolution for each channel, narrower, and the input added where it fits."""
    wide = inputs * expansion
    y = x if expansion == 1 else tf.nn.relu6(convolution(x, inputs, wide, 1, 1, name + "/expand"))
    filters = variable(name + "/depthwise/filters", [3, 3, wide, 1], (2 / 9) ** 0.5)
    y = tf.nn.depthwise_conv2d(y, filters, [1, stride, stride, 1], "SAME")
    y = tf.nn.relu6(normalized(y, wide, name + "/depthwise"))
    y = convolution(y, wide, outputs, 1, 1, name + "/project")
    return x + y if stride == 1 and inputs == outputs else y


def mobile_net():
    """MobileNetV2 for pictures of 224 x 224 and 1,000 classes, with random weights."""
    x = tf1.placeholder(tf.float32, [MOBILE_NET_BATCH, 224, 224, 3])
    y = tf.nn.relu6(convolution(x, 3, 32, 3, 2, "first"))
    channels = 32
    for index, (expansion, outputs, repetitions, stride) in enumerate(MOBILE_NET_BLOCKS):
        for repetition in range(repetitions):
            name = "block_%d_%d" % (index, repetition)
            y = block(y, channels, outputs, expansion, stride if repetition == 0 else 1, name)
            channels = outputs
    y = tf.nn.relu6(convolution(y, channels, 1280, 1, 1, "last"))
    classes = tf.nn.softmax(dense(tf.reduce_mean(y, [1, 2]), 1280, 1000, "top"))
    picture = np.random.RandomState(1).uniform(-1, 1, x.shape.as_list()).astype(np.float32)
    return classes, {x: picture}, tf1.global_variables_initializer()
