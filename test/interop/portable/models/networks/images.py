"""Networks of images and volumes."""

import numpy as np
import tensorflow as tf

from support import Maker, cross_entropy, network, tf1


def batch_norm(m, x, channels, updates):
    y, mean, variance = tf1.nn.fused_batch_norm(x, m.ones(channels), m.zeros(channels), epsilon=1e-3)[:3]
    for moving, value in [(m.variable(np.zeros(channels), trainable=False), mean), (m.variable(np.ones(channels), trainable=False), variance)]:
        updates.append(tf1.assign_sub(moving, (moving - value) * 0.1))
    return y


@network
def resnet():
    m, updates = Maker(), []
    batch = 16
    x, x_v = m.feed(batch, 32, 32, 3)
    labels, labels_v = m.classes(10, batch)
    y = tf.nn.relu(batch_norm(m, tf.nn.conv2d(x, m.weight(3, 3, 3, 16), 1, "SAME"), 16, updates))
    channels = 16
    for outputs, stride in [(16, 1), (32, 2), (64, 2)]:
        z = tf.nn.relu(batch_norm(m, tf.nn.conv2d(y, m.weight(3, 3, channels, outputs), stride, "SAME"), outputs, updates))
        z = batch_norm(m, tf.nn.conv2d(z, m.weight(3, 3, outputs, outputs), 1, "SAME"), outputs, updates)
        if channels != outputs:
            y = batch_norm(m, tf.nn.conv2d(y, m.weight(1, 1, channels, outputs), stride, "SAME"), outputs, updates)
        y = tf.nn.relu(y + z)
        channels = outputs
    logits = m.dense(tf.reduce_mean(y, [1, 2]), 64, 10)
    loss = cross_entropy(labels, logits)
    step = tf1.train.get_or_create_global_step()
    rate = tf1.train.piecewise_constant(step, [100, 200], [0.05, 0.01, 0.001])
    with tf.control_dependencies(updates):
        train = tf1.train.MomentumOptimizer(rate, 0.9).minimize(loss, step)
    return loss, train, {x: x_v, labels: labels_v}


@network
def autoencoder():
    m = Maker()
    batch = 16
    x, x_v = m.feed(batch, 28, 28, 1)
    y = tf.nn.relu(tf.nn.conv2d(x, m.weight(3, 3, 1, 16), 2, "SAME") + m.zeros(16))
    y = tf.nn.relu(tf.nn.conv2d(y, m.weight(3, 3, 16, 32), 2, "SAME") + m.zeros(32))
    y = tf.nn.conv2d_transpose(y, m.weight(3, 3, 16, 32, scale=0.1), [batch, 14, 14, 16], 2, "SAME")
    y = tf.nn.relu(y + m.zeros(16))
    y = tf.nn.conv2d_transpose(y, m.weight(3, 3, 1, 16, scale=0.1), [batch, 28, 28, 1], 2, "SAME") + m.zeros(1)
    loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=y))
    return loss, tf1.train.AdamOptimizer(1e-3).minimize(loss), {x: x_v}


@network
def separable():
    m, updates = Maker(), []
    batch = 16
    x, x_v = m.feed(batch, 32, 32, 3)
    labels, labels_v = m.classes(10, batch)
    y = tf.nn.relu6(batch_norm(m, tf.nn.conv2d(x, m.weight(3, 3, 3, 16), 2, "SAME"), 16, updates))
    channels = 16
    for outputs, stride in [(32, 1), (64, 2), (64, 1)]:
        y = tf.nn.depthwise_conv2d(y, m.weight(3, 3, channels, 1, scale=0.3), [1, stride, stride, 1], "SAME")
        y = tf.nn.relu6(batch_norm(m, y, channels, updates))
        y = tf.nn.relu6(batch_norm(m, tf.nn.conv2d(y, m.weight(1, 1, channels, outputs), 1, "SAME"), outputs, updates))
        channels = outputs
    loss = cross_entropy(labels, m.dense(tf.nn.dropout(tf.reduce_mean(y, [1, 2]), 0.2, seed=3), 64, 10))
    with tf.control_dependencies(updates):
        train = tf1.train.RMSPropOptimizer(1e-3, momentum=0.9).minimize(loss)
    return loss, train, {x: x_v, labels: labels_v}


@network
def unet():
    m = Maker()
    batch = 4
    x, x_v = m.feed(batch, 64, 64, 3)
    labels, labels_v = m.classes(4, batch, 64, 64)

    def conv(y, inputs, outputs):
        return tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(y, m.weight(3, 3, inputs, outputs), 1, "SAME"), m.zeros(outputs)))

    a = conv(x, 3, 16)
    b = conv(tf.nn.max_pool2d(a, 2, 2, "SAME"), 16, 32)
    c = conv(tf.nn.max_pool2d(b, 2, 2, "SAME"), 32, 64)
    y = conv(tf.concat([tf1.image.resize_bilinear(c, [32, 32], half_pixel_centers=True), b], -1), 96, 32)
    y = conv(tf.concat([tf1.image.resize_nearest_neighbor(y, [64, 64], half_pixel_centers=True), a], -1), 48, 16)
    logits = tf.nn.conv2d(y, m.weight(1, 1, 16, 4), 1, "SAME")
    loss = cross_entropy(labels, logits)
    return loss, tf1.train.AdamOptimizer(1e-3).minimize(loss), {x: x_v, labels: labels_v}


@network
def conv3d():
    m = Maker()
    batch = 4
    x, x_v = m.feed(batch, 16, 16, 16, 1)
    labels, labels_v = m.classes(6, batch)
    y, channels = x, 1
    for outputs in [8, 16]:
        y = tf.nn.relu(tf.nn.conv3d(y, m.weight(3, 3, 3, channels, outputs), [1] * 5, "SAME") + m.zeros(outputs))
        y, channels = tf.nn.max_pool3d(y, 2, 2, "SAME"), outputs
    loss = cross_entropy(labels, m.dense(tf.reshape(y, [batch, 4 * 4 * 4 * 16]), 1024, 6))
    return loss, tf1.train.AdamOptimizer(1e-3).minimize(loss), {x: x_v, labels: labels_v}


@network
def augmented():
    m = Maker()
    batch = 16
    x, x_v = m.feed(batch, 40, 40, 3)
    labels, labels_v = m.classes(10, batch)
    y = tf1.image.random_crop(x, [batch, 32, 32, 3], seed=1)
    y = tf1.image.random_flip_left_right(y, seed=2)
    y = tf1.image.random_brightness(y, 0.2, seed=3)
    y = tf1.image.random_contrast(y, 0.7, 1.3, seed=4)
    y = tf1.image.random_saturation(y, 0.7, 1.3, seed=6)
    y = tf1.image.random_hue(y, 0.1, seed=7)
    y = tf1.image.per_image_standardization(y)
    y = tf.nn.relu(tf.nn.conv2d(y, m.weight(3, 3, 3, 16), 2, "SAME") + m.zeros(16))
    y = tf.nn.avg_pool2d(y, 2, 2, "VALID")
    loss = cross_entropy(labels, m.dense(tf.reshape(y, [batch, 8 * 8 * 16]), 1024, 10))
    step = tf1.train.get_or_create_global_step()
    rate = tf1.train.cosine_decay(0.05, step, 1000)
    return loss, tf1.train.MomentumOptimizer(rate, 0.9, use_nesterov=True).minimize(loss, step), {x: x_v, labels: labels_v}
