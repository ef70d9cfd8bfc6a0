"""Networks that look rows of tables up."""

import numpy as np
import tensorflow as tf

from support import Maker, cross_entropy, network, tf1


@network
def wide_and_deep():
    m = Maker()
    batch, fields, vocabulary, size = 64, 8, 10000, 16
    ids, ids_v = m.classes(vocabulary, batch * fields)
    numbers, numbers_v = m.feed(batch, 13)
    labels, labels_v = m.feed(batch)
    segments = tf.constant(np.repeat(np.arange(batch), fields))
    rows = tf.nn.embedding_lookup(m.weight(vocabulary, size, scale=0.1), ids)
    wide = tf.math.segment_sum(tf.nn.embedding_lookup(m.weight(vocabulary, 1, scale=0.1), ids), segments)
    deep = tf.concat([tf.math.segment_mean(rows, segments), tf.reshape(rows, [batch, fields * size]), numbers], 1)
    width = size + fields * size + 13
    for outputs in [128, 64]:
        deep, width = tf.nn.relu(m.dense(deep, width, outputs)), outputs
    logits = tf.reshape(wide + m.dense(deep, width, 1), [batch])
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.round(labels), logits=logits))
    return loss, tf1.train.AdagradOptimizer(0.05).minimize(loss), {ids: ids_v, numbers: numbers_v, labels: labels_v}


@network
def sparse_adam():
    """Embeddings whose gradients are IndexedSlices, by Adam."""
    m = Maker()
    batch, vocabulary, size = 128, 5000, 32
    ids, ids_v = m.classes(vocabulary, batch)
    labels, labels_v = m.classes(10, batch)
    rows = tf.nn.embedding_lookup(m.weight(vocabulary, size, scale=0.1), ids)
    loss = cross_entropy(labels, m.dense(tf.nn.relu(m.dense(rows, size, 64)), 64, 10))
    return loss, tf1.train.AdamOptimizer(1e-2).minimize(loss), {ids: ids_v, labels: labels_v}


@network
def sampled_softmax():
    m = Maker()
    batch, vocabulary, size = 64, 5000, 32
    ids, ids_v = m.classes(vocabulary, batch)
    labels, labels_v = m.classes(vocabulary, batch, 1)
    rows = tf.nn.embedding_lookup(m.weight(vocabulary, size, scale=0.1), ids)
    loss = tf.reduce_mean(
        tf1.nn.sampled_softmax_loss(m.weight(vocabulary, size, scale=0.1), m.zeros(vocabulary), labels, rows, 64, vocabulary, seed=4)
    )
    return loss, tf1.train.AdagradOptimizer(0.1).minimize(loss), {ids: ids_v, labels: labels_v}


@network
def graph_convolution():
    """Messages along edges: gathers and unsorted segment sums."""
    m = Maker()
    nodes, edges = 500, 3000
    x, x_v = m.feed(nodes, 32)
    source, source_v = m.classes(nodes, edges)
    target, target_v = m.classes(nodes, edges)
    labels, labels_v = m.classes(7, nodes)
    y, width = x, 32
    for outputs in [64, 64]:
        messages = tf.math.unsorted_segment_sum(tf.gather(y, source), target, nodes)
        y = tf.nn.relu(m.dense(y, width, outputs) + tf.matmul(messages, m.weight(width, outputs)) * 0.1)
        width = outputs
    loss = cross_entropy(labels, m.dense(y, width, 7))
    return loss, tf1.train.AdamOptimizer(1e-3).minimize(loss), {x: x_v, source: source_v, target: target_v, labels: labels_v}
