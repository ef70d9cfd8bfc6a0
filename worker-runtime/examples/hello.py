"""Hello, distributed TensorFlow: `hello.py` says it by a server of its own, `hello.py clusterspec.json` also by a cluster."""
import json
import sys

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

server = tf.train.Server.create_local_server()
with tf.Session(server.target) as session:
    print(session.run(tf.constant("Hello, distributed TensorFlow!")).decode())

if len(sys.argv) > 1:
    cluster = tf.train.ClusterSpec(json.load(open(sys.argv[1])))
    with tf.device("/job:worker/task:0"):
        text = tf.constant("Hello, distributed TensorFlow!", name="text")
    with tf.device("/job:worker/task:1"):
        hello = tf.identity(text, name="hello")
    with tf.Session("grpc://" + cluster.task_address("worker", 0)) as session:
        print(session.run(hello).decode())
