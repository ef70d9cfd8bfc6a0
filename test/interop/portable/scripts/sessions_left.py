"""A stock client with many sessions that are never closed, each with a graph of some megabytes.

usage: sessions_left.py TARGET SESSIONS MEGABYTES

Runs a step in each, prints "open", and goes on with the first one: "step 1", "step 2" and so on. While there is no
connection a step waits or is repeated; when the session is gone, it prints "ended" with TensorFlow's words.
"""

import sys
import time

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
target, sessions, megabytes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])


def open_session(seed):
    graph = tf.Graph()
    with graph.as_default():
        big = tf.constant(np.full(megabytes * 2**18, seed, np.float32), name="big")
        fed = tf1.placeholder(tf.float32, [], name="fed")
        total = tf.reduce_sum(big[:4] + fed)
    session = tf1.Session(target, graph=graph)
    expected = 4 * (seed + 1)
    return lambda: float(session.run(total, {fed: 1.0})) == expected


steps = [open_session(seed) for seed in range(sessions)]
if not all(step() for step in steps):
    sys.exit("A step gave another value.")
print("open", flush=True)
count = 0
while True:
    time.sleep(0.1)
    try:
        steps[0]()
        count += 1
        print("step", count, flush=True)
    except tf.errors.UnavailableError:
        pass
    except tf.errors.AbortedError as error:
        print("ended", type(error).__name__, error.message, flush=True)
        sys.exit()
