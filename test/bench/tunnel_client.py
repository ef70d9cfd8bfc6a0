"""Steps of a two-task cluster, timed by stock TensorFlow on the first task's machine.

Usage: tunnel_client.py TARGET_OF_TASK_0 TARGET_OF_TASK_1 RAW_HOST RAW_PORT
Prints one line of JSON: seconds of every repetition, by what was done.
"""

import json
import os
import socket
import sys
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402

tf.disable_eager_execution()

ELEMENTS = 16 * 1024 * 1024  # 64 MiB of floats
RAW_BYTES = 512 * 1024 * 1024


def timed(step, count, warm_up=3):
    for _ in range(warm_up):
        step()
    seconds = []
    for _ in range(count):
        started = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - started)
    return seconds


def raw(host, port):
    """One connection to a server that echoes lines of 100 bytes ("E"), or counts bytes until the end ("S")."""
    echo = socket.create_connection((host, port))
    echo.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    echo.sendall(b"E")

    def ask():
        echo.sendall(b"y" * 100)
        left = 100
        while left:
            left -= len(echo.recv(left))

    seconds = {"message": timed(ask, 1000, 100)}
    echo.close()
    block = b"x" * (1 << 20)

    def send():
        sink = socket.create_connection((host, port))
        sink.sendall(b"S")
        for _ in range(RAW_BYTES >> 20):
            sink.sendall(block)
        sink.shutdown(socket.SHUT_WR)
        assert int.from_bytes(sink.recv(8), "big") == RAW_BYTES
        sink.close()

    seconds["stream"] = timed(send, 3, 1)
    return seconds


def steps(target0, target1):
    with tf.device("/job:worker/task:1"):
        large = tf.get_variable("large", initializer=tf.ones([ELEMENTS]), use_resource=False)
        fetched = tf.identity(large)
        feed = tf.placeholder(tf.float32, [None])
        shape = tf.shape(feed)
        few = tf.slice(large, [0], [4])
        small = tf.reduce_sum(few)
    with tf.device("/job:worker/task:0"):
        hop = tf.reduce_sum(few)
        received = tf.reduce_sum(fetched)
    config = tf.ConfigProto()
    # Nothing may be folded or moved: the bytes are to travel.
    config.graph_options.optimizer_options.opt_level = -1
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    values = np.ones(ELEMENTS, np.float32)
    seconds = {}
    with tf.Session(target1, config=config) as session:
        session.run(large.initializer)
        seconds["step"] = timed(lambda: session.run(small), 300)
        seconds["fetch"] = timed(lambda: session.run(fetched), 12)
        seconds["feed"] = timed(lambda: session.run(shape, {feed: values}), 12)
    with tf.Session(target0, config=config) as session:
        session.run(large.initializer)
        seconds["hop"] = timed(lambda: session.run(hop), 300)
        seconds["receive"] = timed(lambda: session.run(received), 12)
    return seconds


if __name__ == "__main__":
    print(json.dumps({**raw(sys.argv[3], int(sys.argv[4])), **steps(sys.argv[1], sys.argv[2])}))
