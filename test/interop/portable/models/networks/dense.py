"""Networks of dense layers."""

import tensorflow as tf

from support import Maker, cross_entropy, network, tf1


def mlp_of(dtype, is_reference=False, hidden=256):
    m = Maker(dtype, is_reference)
    x, x_v = m.feed(64, 128)
    labels, labels_v = m.classes(10, 64)
    y = tf.nn.relu(m.dense(x, 128, hidden))
    y = tf.tanh(m.dense(y, hidden, hidden))
    loss = cross_entropy(labels, m.dense(y, hidden, 10))
    return loss, tf1.train.MomentumOptimizer(0.05, 0.9).minimize(loss), {x: x_v, labels: labels_v}


@network
def mlp_half():
    return mlp_of(tf.float16)


@network
def mlp_float():
    return mlp_of(tf.float32)


@network
def mlp_double():
    return mlp_of(tf.float64)


@network
def mlp_reference():
    return mlp_of(tf.float32, is_reference=True)


@network
def mlp_mixed():
    """Weights of float32, computed with float16, with a scaled loss."""
    m = Maker()
    x, x_v = m.feed(64, 128)
    labels, labels_v = m.classes(10, 64)
    y = tf.cast(x, tf.float16)
    width = 128
    for outputs in [256, 256, 10]:
        y = tf.matmul(y, tf.cast(m.weight(width, outputs), tf.float16)) + tf.cast(m.zeros(outputs), tf.float16)
        y, width = y if outputs == 10 else tf.nn.relu(y), outputs
    loss = cross_entropy(labels, tf.cast(y, tf.float32))
    optimizer = tf1.train.GradientDescentOptimizer(0.05)
    gradients = [(g / 128.0, v) for g, v in optimizer.compute_gradients(loss * 128.0)]
    return loss, optimizer.apply_gradients(gradients), {x: x_v, labels: labels_v}


@network
def vae():
    m = Maker()
    batch, size = 64, 16
    x, x_v = m.feed(batch, 784)
    h = tf.nn.relu(m.dense(x, 784, 200))
    mean, log_variance = m.dense(h, 200, size), m.dense(h, 200, size)
    z = mean + tf.exp(0.5 * log_variance) * tf1.random_normal([batch, size], seed=5)
    logits = m.dense(tf.nn.relu(m.dense(z, size, 200)), 200, 784)
    reconstruction = tf.reduce_sum(tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits), 1)
    divergence = -0.5 * tf.reduce_sum(1 + log_variance - mean**2 - tf.exp(log_variance), 1)
    loss = tf.reduce_mean(reconstruction + divergence)
    return loss, tf1.train.AdamOptimizer(1e-3).minimize(loss), {x: x_v}


@network
def clipped_schedule():
    m = Maker()
    x, x_v = m.feed(64, 128)
    labels, labels_v = m.feed(64, 1)
    y = tf.nn.elu(m.dense(x, 128, 256))
    y = tf.nn.selu(m.dense(y, 256, 128))
    y = tf.nn.dropout(y, 0.1, seed=9)
    prediction = m.dense(y, 128, 1)
    weights = tf1.trainable_variables()
    loss = tf1.losses.huber_loss(labels, prediction) + 1e-4 * tf.add_n([tf.nn.l2_loss(w) for w in weights])
    step = tf1.train.get_or_create_global_step()
    rate = tf1.train.exponential_decay(0.01, step, 10, 0.9, staircase=True)
    optimizer = tf1.train.FtrlOptimizer(rate)
    gradients, variables = zip(*optimizer.compute_gradients(loss))
    gradients, norm = tf.clip_by_global_norm(gradients, 1.0)
    train = optimizer.apply_gradients(zip(gradients, variables), step)
    average = tf.train.ExponentialMovingAverage(0.99, step)
    with tf.control_dependencies([train]):
        train = average.apply(weights)
    return loss, train, {x: x_v, labels: labels_v}


@network
def normalizations():
    """Batch normalization that is not fused, as for vectors, and a group norm."""
    m = Maker()
    x, x_v = m.feed(64, 64)
    labels, labels_v = m.classes(10, 64)
    y = x
    for width in [64, 128]:
        y = m.dense(y, width, 128)
        mean, variance = tf.nn.moments(y, [0])
        y = tf.nn.leaky_relu(tf.nn.batch_normalization(y, mean, variance, m.zeros(128), m.ones(128), 1e-3))
    g = tf.reshape(y, [64, 8, 16])
    mean, variance = tf.nn.moments(g, [2], keepdims=True)
    y = tf.reshape((g - mean) / tf.sqrt(variance + 1e-5), [64, 128])
    loss = cross_entropy(labels, m.dense(y, 128, 10))
    return loss, tf1.train.AdadeltaOptimizer(0.5).minimize(loss), {x: x_v, labels: labels_v}
