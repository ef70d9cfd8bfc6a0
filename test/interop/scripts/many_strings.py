"""Feeds many strings to one task, has another work on them, and fetches what comes back.

usage: many_strings.py TARGET

Prints "the same" and how many they were.
"""

import sys

import numpy as np
import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_eager_execution()

COUNT = 20_000
# Lengths of one and of two bytes, empty ones, and bytes that are no text.
words = [b"", b"\xff\x00", b"x" * 127, b"y" * 128, b"z" * 300]
strings = np.array([words[i % len(words)] + str(i).encode() for i in range(COUNT)], object)

fed = tf1.placeholder(tf.string, [COUNT], name="fed")
with tf.device("/job:worker/task:0"):
    here = tf.identity(fed)
with tf.device("/job:worker/task:1"):
    there = tf.strings.join([here, "!"])
with tf.device("/job:worker/task:0"):
    back = tf.strings.join(["?", there])
with tf1.Session(sys.argv[1]) as session:
    result = session.run(back, {fed: strings})
assert [b"?" + string + b"!" for string in strings] == list(result)
print("the same", len(result))
