"""Networks of sequences."""

import numpy as np
import tensorflow as tf

from support import Maker, cross_entropy, network, tf1


def layer_norm(m, x, size):
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return (x - mean) * tf1.rsqrt(variance + 1e-5) * m.ones(size) + m.zeros(size)


@network
def transformer():
    m = Maker()
    batch, length, size, heads, vocabulary = 8, 32, 64, 4, 500
    tokens, tokens_v = m.classes(vocabulary, batch, length)
    labels, labels_v = m.classes(vocabulary, batch, length)
    x = tf.nn.embedding_lookup(m.weight(vocabulary, size, scale=0.1), tokens) + m.weight(length, size, scale=0.1)

    def split(y):
        return tf.transpose(tf.reshape(y, [batch, length, heads, size // heads]), [0, 2, 1, 3])

    mask = tf.constant(np.triu(np.full([length, length], -1e9, np.float32), 1))
    for _ in range(2):
        y = layer_norm(m, x, size)
        q, k, v = (split(m.dense3(y, size, size)) for _ in range(3))
        a = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / np.sqrt(size / heads).astype(np.float32) + mask)
        y = tf.reshape(tf.transpose(tf.matmul(a, v), [0, 2, 1, 3]), [batch, length, size])
        x += m.dense3(y, size, size)
        y = tf.nn.gelu(m.dense3(layer_norm(m, x, size), size, 4 * size))
        x += m.dense3(y, 4 * size, size)
    logits = m.dense3(layer_norm(m, x, size), size, vocabulary)
    loss = cross_entropy(labels, logits)
    return loss, tf1.train.AdamOptimizer(1e-3).minimize(loss), {tokens: tokens_v, labels: labels_v}


@network
def lstm():
    m = Maker()
    batch, length, size, inputs = 16, 20, 64, 32
    x, x_v = m.feed(batch, length, inputs)
    labels, labels_v = m.classes(5, batch)
    w, b = m.weight(inputs + size, 4 * size), m.zeros(4 * size)
    h = c = tf.zeros([batch, size])
    for step in tf.unstack(x, axis=1):
        i, j, f, o = tf.split(tf.matmul(tf.concat([step, h], 1), w) + b, 4, 1)
        c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        h = tf.tanh(c) * tf.sigmoid(o)
    loss = cross_entropy(labels, m.dense(h, size, 5))
    optimizer = tf1.train.RMSPropOptimizer(1e-3)
    gradients, variables = zip(*optimizer.compute_gradients(loss))
    gradients, _ = tf.clip_by_global_norm(gradients, 0.5)
    return loss, optimizer.apply_gradients(zip(gradients, variables)), {x: x_v, labels: labels_v}


@network
def gru():
    m = Maker()
    batch, length, size, inputs = 16, 20, 64, 32
    x, x_v = m.feed(batch, length, inputs)
    labels, labels_v = m.classes(5, batch)
    w, u, w2, u2 = m.weight(inputs, 2 * size), m.weight(size, 2 * size), m.weight(inputs, size), m.weight(size, size)
    h = tf.zeros([batch, size])
    for t in range(length):
        step = x[:, t]
        r, z = tf.split(tf.sigmoid(tf.matmul(step, w) + tf.matmul(h, u)), 2, 1)
        n = tf.tanh(tf.matmul(step, w2) + tf.matmul(r * h, u2))
        h = z * h + (1 - z) * n
    loss = cross_entropy(labels, m.dense(h, size, 5))
    return loss, tf1.train.AdamOptimizer(1e-3).minimize(loss), {x: x_v, labels: labels_v}


@network
def ctc():
    m = Maker()
    batch, length, symbols = 8, 30, 12
    x, x_v = m.feed(length, batch, 16)
    labels, labels_v = m.classes(symbols - 1, batch, 6)
    logits = m.dense3(tf.tanh(m.dense3(x, 16, 32)), 32, symbols)
    sparse = tf.sparse.from_dense(labels + 0)
    sparse = tf.SparseTensor(sparse.indices, tf.cast(sparse.values, tf.int32), sparse.dense_shape)
    loss = tf.reduce_mean(tf1.nn.ctc_loss(sparse, logits, tf.fill([batch], length)))
    return loss, tf1.train.AdamOptimizer(1e-3).minimize(loss), {x: x_v, labels: labels_v}


@network
def conv1d():
    m = Maker()
    batch, length = 16, 128
    x, x_v = m.feed(batch, length, 8)
    labels, labels_v = m.classes(6, batch)
    y, channels = x, 8
    for outputs in [32, 64]:
        y = tf.nn.relu(tf.nn.conv1d(y, m.weight(5, channels, outputs), 1, "SAME") + m.zeros(outputs))
        y, channels = tf.nn.max_pool1d(y, 2, 2, "SAME"), outputs
    y = tf.nn.relu(tf.nn.conv1d(y, m.weight(3, 64, 64), 1, "SAME", dilations=2) + m.zeros(64))
    loss = cross_entropy(labels, m.dense(tf.reduce_max(y, 1), 64, 6))
    return loss, tf1.train.AdamOptimizer(1e-3).minimize(loss), {x: x_v, labels: labels_v}


@network
def policy_gradient():
    """Sampling in the graph, a one-hot vector, a cumulative sum."""
    m = Maker()
    batch, steps = 8, 32
    x, x_v = m.feed(batch * steps, 16)
    reward, reward_v = m.feed(batch, steps)
    logits = m.dense(tf.tanh(m.dense(x, 16, 64)), 64, 4)
    actions = tf.reshape(tf1.random.categorical(tf.stop_gradient(logits), 1, seed=8), [-1])
    returns = tf.reshape(tf.cumsum(reward, 1, reverse=True), [-1])
    returns -= tf.reduce_mean(returns)
    chosen = tf.reduce_sum(tf.nn.log_softmax(logits) * tf.one_hot(actions, 4), 1)
    entropy = -tf.reduce_sum(tf.nn.softmax(logits) * tf.nn.log_softmax(logits), 1)
    loss = -tf.reduce_mean(chosen * tf.stop_gradient(returns) + 0.01 * entropy)
    return loss, tf1.train.AdamOptimizer(1e-3).minimize(loss), {x: x_v, reward: reward_v}
