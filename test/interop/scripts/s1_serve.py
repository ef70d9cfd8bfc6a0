"""The server side as people write it: `s1_serve.py CLUSTERSPEC.json INDEX` serves one task of job worker."""
import json
import sys

import tensorflow as tf

with open(sys.argv[1]) as f:
    cluster = tf.train.ClusterSpec(json.load(f))
index = int(sys.argv[2])
print("Starting server #{}".format(index), flush=True)
server = tf.distribute.Server(cluster, job_name="worker", task_index=index)
print("target", server.target, flush=True)
server.join()
