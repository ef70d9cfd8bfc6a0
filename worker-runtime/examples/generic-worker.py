"""One program for every task: TF_CONFIG says which it is.

TF_CONFIG='{"cluster": {"worker": ["pc:2222"]}, "task": {"type": "worker", "index": 0}}' python3 generic-worker.py
serves until it is stopped; without TF_CONFIG, `generic-worker.py clusterspec.json 0` is worker 0.
"""
import json
import os
import sys

import tensorflow.compat.v1 as tf


def launch_worker(job_name, task_id, cluster):
    print("Starting server #%d of job %s" % (task_id, job_name), flush=True)
    config = tf.ConfigProto()
    # Collective operations ask this task who takes part in them.
    config.experimental.collective_group_leader = "/job:worker/replica:0/task:0"
    server = tf.train.Server(cluster, job_name=job_name, task_index=task_id, config=config)
    print("target", server.target.decode() if isinstance(server.target, bytes) else server.target, flush=True)
    server.join()


if "TF_CONFIG" in os.environ:
    resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
    launch_worker(resolver.task_type, resolver.task_id, resolver.cluster_spec())
else:
    launch_worker("worker", int(sys.argv[2]), tf.train.ClusterSpec(json.load(open(sys.argv[1]))))
